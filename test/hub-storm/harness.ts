import type { ClusterAccess, JoinedCluster, TestHub, TestHubs } from "@fairlead/testkit";
import type { Chance } from "../fleet/chance.ts";
import type { Noise } from "./noise.ts";

/** An API server, and what of it the storm is in. */
export interface Ground {
  readonly cluster: ClusterAccess;
  readonly namespace: string;
  /** Its agents, each a cluster of its own to the hubs. */
  readonly agents: readonly JoinedCluster[];
}

/** The ground of all clients. */
export interface Harness {
  readonly hubs: TestHubs;
  readonly grounds: readonly Ground[];
  readonly chance: Chance;
  readonly noise: Noise;
  /** When hubs were cut from their database; a cut that lasts has no end yet. */
  readonly databaseCuts: { readonly hub: TestHub; readonly fromMs: number; toMs: number }[];
  /** Aborted when no more is to be begun. */
  readonly over: AbortSignal;
  /** Says what may not be. */
  breaks(what: string): void;
  /** Counts what clients may see of a storm, such as a request that failed. */
  count(what: string): void;
}

export const podName = "echo";
export const marker = "ground";

/** By their names clusters of the hubs tell which API server they are. */
export function pickTarget({ chance, grounds }: Harness): { readonly ground: Ground; readonly name: string } {
  const ground = chance.pick(grounds);
  return { ground, name: chance.pick(ground.agents).name };
}

export function configMaps(ground: Ground, name: string): string {
  return `/k8s/clusters/${name}/api/v1/namespaces/${ground.namespace}/configmaps`;
}
