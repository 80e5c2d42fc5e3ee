import type { PoolDemand } from "../../profiles/index.ts";
import type { Evidence, ObjectRef } from "../../snapshot/index.ts";
import type { NodePool } from "../node-pool.ts";
import type { Trait } from "../requirements.ts";
import { formatTaint, isHard, type Taint } from "../taints.ts";

/** A point in which a pool differs from what the profile asks for. */
export interface Shortfall {
  /** `warn`: nothing is wrong yet, though nothing keeps it right. */
  readonly is: "fail" | "warn";
  readonly subject: "taint" | "label" | "kubernetes.io/arch" | "kubernetes.io/os" | "karpenter.sh/capacity-type";
  readonly evidence: Evidence;
}

/** Compares one pool with what a profile asks of it. */
export function judgeDemand(pool: NodePool, demand: PoolDemand): Shortfall[] {
  return [
    ...missingTaints(pool, demand),
    ...foreignTaints(pool, demand),
    ...missingLabels(pool, demand),
    ...judgeTrait(pool, "kubernetes.io/arch", pool.architectures, demand.architectures),
    ...judgeTrait(pool, "kubernetes.io/os", pool.operatingSystems, ["linux"]),
    ...judgeTrait(pool, "karpenter.sh/capacity-type", pool.capacityTypes, withReserved(demand.capacityTypes)),
  ];
}

/** The pool's NodePool, or its first node where it has none. */
export function objectOf({ object, nodes }: NodePool): ObjectRef {
  return object ?? { resource: "nodes", name: nodes[0]?.name ?? "" };
}

export function isDemanded(demanded: PoolDemand["taints"][number], { key, value, effect }: Taint): boolean {
  return (
    demanded.key === key &&
    (demanded.value === undefined || demanded.value === value) &&
    (demanded.effect === undefined || demanded.effect === effect)
  );
}

function missingTaints(pool: NodePool, demand: PoolDemand): Shortfall[] {
  return demand.taints
    .filter((taint) => !pool.taints.some((own) => isDemanded(taint, own)))
    .map(({ key, value, effect = "NoSchedule" }) => {
      const expected = value === undefined ? `${key}:${effect}, with any value` : formatTaint({ key, value, effect });
      return shortfall(pool, "fail", "taint", "taints", listTaints(pool.taints), expected);
    });
}

/** A pool without demanded taints is for all pods. Elsewhere, more taints than demanded are the owner's business. */
function foreignTaints(pool: NodePool, { taints }: PoolDemand): Shortfall[] {
  const foreign = pool.taints.filter(isHard);
  if (taints.length > 0 || foreign.length === 0) return [];
  return [shortfall(pool, "fail", "taint", "taints", listTaints(foreign), "no taints")];
}

function missingLabels(pool: NodePool, { labels }: PoolDemand): Shortfall[] {
  return Object.entries(labels)
    .filter(([key, value]) => pool.labels[key] !== value)
    .map(([key, value]) => {
      const observed = pool.labels[key];
      return shortfall(pool, "fail", "label", "labels", observed ? `${key}=${observed}` : "absent", `${key}=${value}`);
    });
}

function judgeTrait(pool: NodePool, key: Shortfall["subject"], trait: Trait, wanted: readonly string[]): Shortfall[] {
  const expected = `${key} In ${wanted.join(", ")}`;
  if (!trait.isStated) {
    // Nodes without such a label say nothing; a NodePool without such a requirement takes whatever is cheapest.
    return pool.source === "karpenter"
      ? [shortfall(pool, "warn", key, "requirements", `${key}: absent`, expected)]
      : [];
  }
  const isWithin = trait.values.every((value) => wanted.includes(value));
  if (isWithin && trait.values.length > 0) return [];
  return [shortfall(pool, "fail", key, "requirements", `${key}: ${trait.values.join(", ") || "none"}`, expected)];
}

/** Reserved nodes are paid for and stay, as on-demand ones do. */
function withReserved(capacityTypes: readonly string[]): readonly string[] {
  return capacityTypes.includes("on-demand") ? [...capacityTypes, "reserved"] : capacityTypes;
}

const listTaints = (taints: readonly Taint[]): string => taints.map(formatTaint).join(", ") || "none";

function shortfall(
  pool: NodePool,
  is: Shortfall["is"],
  subject: Shortfall["subject"],
  field: "taints" | "labels" | "requirements",
  observed: string,
  expected: string,
): Shortfall {
  const paths = pool.object
    ? {
        taints: "spec.template.spec.taints",
        labels: "spec.template.metadata.labels",
        requirements: "spec.template.spec.requirements",
      }
    : { taints: "spec.taints", labels: "metadata.labels", requirements: "metadata.labels" };
  return { is, subject, evidence: { object: objectOf(pool), path: paths[field], observed, expected } };
}
