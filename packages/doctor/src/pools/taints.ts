import type { Fields } from "@fairlead/kernel";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface Toleration {
  /** Left out, with `Exists`: every taint. */
  readonly key?: string;
  /** `Equal` when left out. */
  readonly operator?: string;
  readonly value?: string;
  /** Left out: every effect. */
  readonly effect?: string;
}

export function readTaints(list: Fields): Taint[] {
  return list.list().flatMap((taint) => {
    const key = taint.at("key").text();
    if (key === undefined) return [];
    return [{ key, value: taint.at("value").text() ?? "", effect: taint.at("effect").text() ?? "NoSchedule" }];
  });
}

/** Keeps pods away that don't tolerate it. */
export const isHard = ({ effect }: Taint): boolean => effect !== "PreferNoSchedule";

/** A node's state rather than its owner's wish: these come and go. */
export function isPassing({ key }: Taint): boolean {
  return (
    key.startsWith("node.kubernetes.io/") ||
    key.startsWith("node.cloudprovider.kubernetes.io/") ||
    passingKeys.includes(key)
  );
}

const passingKeys: readonly string[] = [
  "DeletionCandidateOfClusterAutoscaler",
  "ToBeDeletedByClusterAutoscaler",
  "karpenter.sh/disrupted",
  "karpenter.sh/disruption",
  "karpenter.sh/unregistered",
];

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator = "Equal", value = "", effect }) => {
    if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
    if (key === undefined || key === "") return operator === "Exists";
    return key === taint.key && (operator === "Exists" || value === taint.value);
  });
}

/** As kubectl writes it: `nvidia.com/gpu=present:NoSchedule`. */
export function formatTaint({ key, value, effect }: Taint): string {
  return `${key}${value === "" ? "" : `=${value}`}:${effect}`;
}
