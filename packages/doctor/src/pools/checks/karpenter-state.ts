import { allowConfigMap, type ClusterCheck, fail, few, listNames, pass, unknown, warn } from "../../checks/index.ts";
import { type Amounts, formatAmount } from "../amounts.ts";
import { autoscalerStatus } from "../autoscaler-groups.ts";
import type { NodePool } from "../node-pool.ts";
import { readAllNodePools } from "../read-node-pools.ts";
import { objectOf } from "./judge-demand.ts";

export const poolsReady: ClusterCheck = {
  id: "pools.ready",
  title: "Karpenter's NodePools are ready",
  why: "A NodePool that isn't ready makes no nodes, most often because its node class is missing or names a role, subnet or image that isn't there.",
  severity: "required",
  features: ["node-provisioning"],
  appliesTo: ({ snapshot }) => snapshot.isServed("nodepools.karpenter.sh") !== "no",
  judge: ({ snapshot, profile }) => {
    const troubled = readAllNodePools(snapshot, profile.nodePools).filter(({ trouble }) => trouble !== undefined);
    if (troubled.length === 0) return pass("No NodePool says that it isn't ready.");
    return fail(
      `Not ready: ${listNames(troubled.map(({ name }) => name))}.`,
      few(troubled).map((pool) => ({
        object: objectOf(pool),
        path: "status.conditions[Ready]",
        observed: pool.trouble ?? "",
        expected: "True",
      })),
    );
  },
};

/** From this share of a limit on, one large node reaches it. */
const nearlyFull = 0.9;

export const poolsHaveRoom: ClusterCheck = {
  id: "pools.limits",
  title: "Pools may still grow",
  why: "A pool that has reached its limit makes no more nodes: new pods stay pending, although the cloud has room.",
  severity: "recommended",
  features: ["node-provisioning"],
  judge: ({ snapshot, profile }) => {
    const pools = readAllNodePools(snapshot, profile.nodePools);
    const { namespace, name } = autoscalerStatus;
    const sighting = snapshot.readConfigMap(namespace, name);
    if (sighting.is === "hidden" && pools.some(({ growth }) => growth.is === "unknown")) {
      return unknown(`How far node groups may grow: ${sighting.why}.`, allowConfigMap(namespace, name));
    }
    const full = pools.flatMap((pool) => findReached(pool));
    if (full.length === 0) return pass("No pool is near its limit.");
    const names = listNames(full.map(({ pool }) => pool.name));
    return warn(
      `Near or at its limit: ${names}.`,
      few(full).map(({ pool, path, observed }) => ({
        object: objectOf(pool),
        path,
        observed,
        expected: "room for more nodes",
      })),
    );
  },
};

interface Reached {
  readonly pool: NodePool;
  readonly path: string;
  readonly observed: string;
}

function findReached(pool: NodePool): Reached[] {
  const { growth } = pool;
  switch (growth.is) {
    case "limits":
      return reachedLimits(growth.limits, growth.used).map(({ resource, observed }) => ({
        pool,
        path: `spec.limits.${resource}`,
        observed,
      }));
    case "nodes":
      if (growth.current < growth.max || growth.max === growth.min || pool.nodes.length === 0) return [];
      return [{ pool, path: "metadata.labels", observed: `${growth.current} of at most ${growth.max} nodes` }];
    case "unknown":
      return [];
    default:
      return growth satisfies never;
  }
}

function reachedLimits(limits: Amounts, used: Amounts): { resource: string; observed: string }[] {
  return Object.entries(limits)
    .filter(([resource, limit]) => limit > 0 && (used[resource] ?? 0) >= limit * nearlyFull)
    .map(([resource, limit]) => ({
      resource,
      observed: `${formatAmount(resource, used[resource] ?? 0)} of ${formatAmount(resource, limit)}`,
    }));
}
