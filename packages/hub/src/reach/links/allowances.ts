// The links of one cluster share an allowance, so that no cluster can take from the others: memory for data on its way,
// calls, and time of the event loop. An allowance is kept for as long as the hub runs: there are no more of them than
// clusters, and each is small.
import type { Clock } from "@fairlead/kernel";
import {
  createBudgetShare,
  createSlots,
  type LinkBudget,
  type LinkLimits,
  type PeerStreams,
  type Role,
  TurnShare,
} from "@fairlead/protocol";
import { Pace } from "./pace.ts";

export interface ClusterAllowance {
  readonly budget: LinkBudget;
  /** The places for agents' calls to the hub. The rest is there for people's requests to the cluster. */
  readonly peers: PeerStreams;
  /** So many of these places one link may have. */
  readonly callsPerLink: number;
  readonly turns: TurnShare;
  /** The pace at which agents of these roles may begin links. */
  beginnings(roles: readonly Role[]): Pace;
}

export interface Allowances {
  of(cluster: string): ClusterAllowance;
}

export function createAllowances(options: {
  readonly budget: LinkBudget;
  /** Beyond what every cluster may have. */
  readonly moreCalls?: ((cluster: string) => number) | undefined;
  readonly clock: Clock;
}): Allowances {
  const { budget: whole, moreCalls, clock } = options;
  const byCluster = new Map<string, ClusterAllowance>();
  return {
    of(cluster) {
      const known = byCluster.get(cluster);
      if (known !== undefined) return known;
      const mostBytes = Math.floor(whole.totalBytes / 4);
      const budget = createBudgetShare({ of: whole, mostBytes, floorBytes: Math.min(mostFloorBytes, mostBytes) });
      const more = moreCalls?.(cluster) ?? 0;
      const paces = new Map<string, Pace>();
      const allowance: ClusterAllowance = {
        budget,
        peers: {
          budget: createBudgetShare({ of: budget, mostBytes: Math.floor(mostBytes / 4) }),
          places: createSlots(callsPerCluster + more),
        },
        callsPerLink: callsPerLink + more,
        turns: new TurnShare({ mostMs: turnMs }),
        beginnings(roles) {
          const key = roles.toSorted().join();
          const pace = paces.get(key) ?? new Pace({ burst: 128, everyMs: 500, clock });
          paces.set(key, pace);
          return pace;
        },
      };
      byCluster.set(cluster, allowance);
      return allowance;
    },
  };
}

/** Those of the agent at the other end of a link; allowances say how many calls it may have open. */
export const agentLimits: Partial<LinkLimits> = { peerCreditBytes: 33_554_432, chatterPerSecond: 50 };

/** A handful of typed calls, and answers to those that it gets. */
const callsPerLink = 32;
const callsPerCluster = 64;
/** First windows of 64 streams. */
const mostFloorBytes = 1_048_576;
const turnMs = 5;
