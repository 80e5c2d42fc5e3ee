import type { ClusterAccess, TestCluster, TestHub } from "@fairlead/testkit";
import type { Chance } from "../fleet/chance.ts";
import type { FaultedPlace } from "../fleet/keep-failing.ts";
import type { StockArgo } from "./stock-argo.ts";

/** A managed cluster: where its applications are on the hub's side, and where their copies are. */
export interface Ground extends FaultedPlace {
  readonly hubSide: Place;
  readonly clusterSide: Place;
}

export interface Place {
  readonly cluster: ClusterAccess | TestCluster;
  readonly namespace: string;
}

export interface Harness {
  readonly hub: TestHub;
  /** Argo CD's own programs on the hub, where they take part. */
  readonly argo: StockArgo | undefined;
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
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly source: { readonly targetRevision: string } };
  readonly operation?: StormOperation;
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly operationState?: {
      readonly phase: string;
      readonly message: string;
      readonly operation: StormOperation;
    };
  };
}

export interface StormOperation {
  /** The first entry's value is the number by which the storm knows the request. */
  readonly info?: readonly { readonly name: string; readonly value: string }[];
  readonly sync?: object;
}

/** Argo CD prunes what an application deployed before it takes this away. */
export const resourcesFinalizer = "resources-finalizer.argocd.argoproj.io";

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
