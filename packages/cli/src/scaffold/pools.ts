import type { PoolDemand, Profile } from "@fairlead/doctor";

export interface Pool {
  readonly name: "critical" | "default" | "gpu";
  readonly isSpot: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: Effect }[];
}

export type Effect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

const names = ["critical", "default", "gpu"] as const;

/**
 * The pools that the profile asks for. A default pool always comes with them, never tainted and never spot: the agent,
 * Argo CD and the provider's own pods have to run somewhere.
 */
export function poolsOf(profile: Profile): readonly Pool[] {
  return names.flatMap((name) => {
    const demand = profile.nodePools[name];
    if (name === "default") return [{ ...toPool(name, demand), isSpot: false, taints: [] }];
    return demand === undefined ? [] : [toPool(name, demand)];
  });
}

function toPool(name: Pool["name"], demand: PoolDemand | undefined): Pool {
  const types = demand?.capacityTypes ?? [];
  return {
    name,
    isSpot: types.includes("spot") && !types.includes("on-demand"),
    labels: { ...demand?.labels },
    taints: (demand?.taints ?? []).map(({ key, value = "true", effect }) => ({ key, value, effect: toEffect(effect) })),
  };
}

function toEffect(effect: string | undefined): Effect {
  return effect === "PreferNoSchedule" || effect === "NoExecute" ? effect : "NoSchedule";
}
