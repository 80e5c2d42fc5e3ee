import type { ClusterAccess, JoinedCluster, TestHub } from "@fairlead/testkit";
import type { Chance } from "../fleet/chance.ts";

/** A managed cluster: where its applications are on the hub's side, and where their copies are. */
export interface Ground {
  readonly joined: JoinedCluster;
  readonly hubSide: Place;
  readonly clusterSide: Place;
}

export interface Place {
  readonly cluster: ClusterAccess;
  readonly namespace: string;
}

export interface Harness {
  readonly hub: TestHub;
  readonly grounds: readonly Ground[];
  readonly chance: Chance;
  /** Aborted when no more is to be begun. */
  readonly over: AbortSignal;
  /** Says what may not be. */
  breaks(what: string): void;
  /** Counts what may be. */
  count(what: string): void;
}

/** As far as the storm writes and reads them. */
export interface StormApplication {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly source: { readonly targetRevision: string } };
  readonly operation?: StormOperation;
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly operationState?: { readonly phase: string; readonly operation: StormOperation };
  };
}

export interface StormOperation {
  /** The first entry's value is the number by which the storm knows the request. */
  readonly info?: readonly { readonly name: string; readonly value: string }[];
  readonly sync?: object;
}

export function numberOf(operation: StormOperation | undefined): string | undefined {
  return operation?.info?.[0]?.value;
}

export function pathOf({ namespace }: Place, name?: string): string {
  const collection = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
  return name === undefined ? collection : `${collection}/${name}`;
}

export async function listAll({ cluster, namespace }: Place): Promise<readonly StormApplication[]> {
  const { items } = await cluster.api.json<{ items: StormApplication[] }>({ path: pathOf({ cluster, namespace }) });
  return items;
}
