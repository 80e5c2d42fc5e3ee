import type { Profile } from "../profiles/index.ts";
import { type AutoscalerGroup, isGroupOf } from "./autoscaler-groups.ts";
import type { PoolNode } from "./node.ts";
import type { Growth, NodePool } from "./node-pool.ts";
import { sumNodes } from "./node-sums.ts";
import { purposeOf } from "./purpose.ts";
import type { Trait } from "./requirements.ts";
import { formatTaint } from "./taints.ts";

/** Pools that are known by their nodes, and cluster-autoscaler's groups that have none at the moment. */
export function readNodeGroupPools(
  nodes: readonly PoolNode[],
  groups: readonly AutoscalerGroup[],
  demands: Profile["nodePools"],
): NodePool[] {
  const owned = Map.groupBy(nodes, ({ owner }) => `${owner.source}/${owner.name}`);
  const pools = [...owned.values()].flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const own = groups.filter((group) => isGroupOf(group, first.owner));
    return [poolOf(first.owner, members, growthOf(own), demands)];
  });
  const idle = groups.filter((group) => !pools.some((pool) => isGroupOf(group, pool)));
  return [
    ...pools,
    ...idle.map((group) => poolOf({ source: "cluster-autoscaler", name: group.name }, [], growthOf([group]), demands)),
  ];
}

function poolOf(
  owner: Pick<NodePool, "source" | "name">,
  nodes: readonly PoolNode[],
  growth: Growth,
  demands: Profile["nodePools"],
): NodePool {
  const labels = Object.fromEntries(common(nodes.map((node) => new Map(Object.entries(node.labels)))));
  const taints = [
    ...common(nodes.map((node) => new Map(node.taints.map((taint) => [formatTaint(taint), taint])))).values(),
  ];
  const sums = sumNodes(nodes);
  return {
    ...owner,
    purpose: nodes.length === 0 ? "other" : purposeOf({ labels, taints, requirements: [], ...sums }, demands),
    architectures: observed(nodes.flatMap((node) => node.labels["kubernetes.io/arch"] ?? [])),
    capacityTypes: observed(nodes.map((node) => node.capacityType)),
    operatingSystems: observed(nodes.flatMap((node) => node.labels["kubernetes.io/os"] ?? [])),
    labels,
    taints,
    requirements: [],
    nodes,
    growth,
    ...sums,
  };
}

/** A group in each zone is usual: a pool may grow by all of them. */
function growthOf(groups: readonly AutoscalerGroup[]): Growth {
  if (groups.length === 0) return { is: "unknown" };
  const sum = (pick: (group: AutoscalerGroup) => number): number =>
    groups.reduce((total, group) => total + pick(group), 0);
  return {
    is: "nodes",
    min: sum(({ min }) => min),
    max: sum(({ max }) => max),
    current: sum(({ current }) => current),
  };
}

/** Entries that are the same everywhere: one node that somebody tainted by hand doesn't make a tainted pool. */
function common<Value>(maps: readonly ReadonlyMap<string, Value>[]): Map<string, Value> {
  const [first = new Map<string, Value>(), ...others] = maps;
  return new Map(
    [...first].filter(([key, value]) =>
      others.every((map) => map.has(key) && JSON.stringify(map.get(key)) === JSON.stringify(value)),
    ),
  );
}

const observed = (values: readonly string[]): Trait => ({
  values: [...new Set(values)].toSorted(),
  isStated: values.length > 0,
});
