// Which steps a run has, and what comes before what: what is declared is applied in the order of its dependencies; what isn't
// declared any more is destroyed in the reverse one, after what used it. Pure.
import type { ApprovalWish, StackAction } from "@fairlead/contract";
import { type ReadResource, resourceKeyOf } from "./declaration.ts";
import { sortByOrder } from "./graph.ts";
import { destroySpecOf, type StackKinds } from "./kinds.ts";

/** A resource that may be in its cluster, as the hub knows it. */
export interface KnownResource {
  readonly name: string;
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly target: string;
  /** JSON. */
  readonly spec: string;
  readonly approvals?: ApprovalWish | undefined;
  /** Keys of those that came before it. */
  readonly dependsOn: readonly string[];
  /** It was applied, and with success. */
  readonly isThere: boolean;
}

export interface PlannedStep {
  /** From 1 on. */
  readonly place: number;
  readonly name: string;
  readonly action: "apply" | "destroy";
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly target: string;
  /** The command's spec. JSON. */
  readonly spec: string;
  readonly approvals?: ApprovalWish | undefined;
  readonly dependsOn: readonly string[];
  readonly after: readonly number[];
  /** In a plan: the name of a resource whose outputs it needs first. */
  readonly waitsFor?: string | undefined;
}

export function planSteps(asked: {
  readonly action: StackAction;
  /** In their order. */
  readonly declared: readonly ReadResource[];
  readonly known: readonly KnownResource[];
  readonly kinds: StackKinds;
}): readonly PlannedStep[] {
  const { action, declared, known, kinds } = asked;
  const isPlan = action === "plan";
  const there = new Set(known.filter(({ isThere }) => isThere).map(resourceKeyOf));
  const keys = new Map(declared.map((resource) => [resource.name, resourceKeyOf(resource)]));
  const applied = new Set(keys.values());
  const leftOver = new Map(
    known.filter((one) => !applied.has(resourceKeyOf(one))).map((one) => [resourceKeyOf(one), one]),
  );
  const users = listUsers(known);
  const order = sortByOrder(new Map([...leftOver.keys()].map((key) => [key, users.get(key) ?? []])));
  const places = new Map([...declared.map(resourceKeyOf), ...order].map((key, index) => [key, index + 1]));
  return [...declared.map(toApply), ...order.flatMap((key) => leftOver.get(key) ?? []).map(toDestroy)];

  function toApply(resource: ReadResource): PlannedStep {
    const { name, cluster, kind, namespace, target, spec, approvals } = resource;
    const dependsOn = keysOf(resource.dependsOn);
    const waitsFor = resource.uses.find((other) => !there.has(keys.get(other) ?? ""));
    return {
      place: placeAt(resourceKeyOf(resource)),
      name,
      action: "apply",
      cluster,
      kind,
      namespace,
      target,
      spec,
      approvals,
      dependsOn,
      after: isPlan ? [] : dependsOn.map(placeAt),
      ...(isPlan && waitsFor !== undefined ? { waitsFor } : {}),
    };
  }

  function toDestroy(resource: KnownResource): PlannedStep {
    const { name, cluster, kind, namespace, target, spec, approvals, dependsOn } = resource;
    // A resource that has moved is made at its new place before it is removed at the old one.
    const before = [...(users.get(resourceKeyOf(resource)) ?? []), ...keysOf([name])];
    return {
      place: placeAt(resourceKeyOf(resource)),
      name,
      action: "destroy",
      cluster,
      kind,
      namespace,
      target,
      approvals,
      dependsOn,
      spec: JSON.stringify(destroySpecOf(kinds, kind, JSON.parse(spec))),
      after: isPlan ? [] : [...new Set(before.map(placeAt))],
    };
  }

  function keysOf(names: readonly string[]): string[] {
    return names.flatMap((name) => keys.get(name) ?? []);
  }

  function placeAt(key: string): number {
    return places.get(key) ?? 0;
  }
}

/** By the key of a resource, the keys of those that came after it. */
function listUsers(known: readonly KnownResource[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  const there = new Set(known.map(resourceKeyOf));
  for (const one of known) {
    for (const key of one.dependsOn) {
      if (there.has(key)) users.set(key, [...(users.get(key) ?? []), resourceKeyOf(one)]);
    }
  }
  return users;
}
