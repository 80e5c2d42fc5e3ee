import type { ClusterAccess, TestHub } from "@fairlead/testkit";
import type { Chance } from "../fleet/chance.ts";
import type { FaultedPlace } from "../fleet/keep-failing.ts";

/** A cluster under the hub, and the namespace of it that the storm is in. */
export interface Ground extends FaultedPlace {
  readonly cluster: ClusterAccess;
  readonly namespace: string;
  /** All that the agent keeps is in these. */
  readonly agentFolders: readonly string[];
}

export interface Harness {
  readonly hub: TestHub;
  readonly grounds: readonly Ground[];
  readonly chance: Chance;
  /** The value of a Secret that commands use. It may be in the cluster and nowhere else. */
  readonly canary: string;
  /** Aborted when no more is to be begun. */
  readonly over: AbortSignal;
  /** Says what may not be. */
  breaks(what: string): void;
  /** Counts what may be. */
  count(what: string): void;
}

/** It has the canary under the key `value`. */
export const canaryName = "canary";
