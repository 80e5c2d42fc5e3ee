// Admits reports of a cluster's objects: one call at a time, of the agent that leads, from the cluster that is meant.
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { Start } from "@fairlead/protocol";
import { inventoryErrors, notLeader } from "./errors.ts";
import type { ClusterRecord } from "./freshness.ts";

export interface ReportCall {
  readonly agentInstanceId: string;
  readonly epoch: bigint;
  /** Where several hubs share the database. */
  readonly fence?: number | undefined;
  readonly end: (reason: unknown) => void;
  /** Tells the agent of what isn't kept. */
  readonly refuse: (error: FairleadError) => void;
}

export interface Beginning {
  readonly kubeSystemUid: string;
  readonly agentInstanceId: string;
  readonly epoch: bigint;
}

/** Throws INVENTORY_REQUEST_INVALID. */
export function readStart(start: Start): Beginning {
  const { kubeSystemUid, agentInstanceId, leaseEpoch: epoch } = start;
  const isUsable = (text: string): boolean => text !== "" && text.length <= 128 && !text.includes("\0");
  if (!isUsable(kubeSystemUid) || !isUsable(agentInstanceId))
    throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "it doesn't say who begins" });
  if (epoch > largestEpoch) throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "the lease epoch is too large" });
  return { kubeSystemUid, agentInstanceId, epoch };
}

/** Throws INVENTORY_NOT_LEADER. */
export function admitReport(
  start: Beginning,
  options: { readonly record: ClusterRecord; readonly current: ReportCall | undefined; readonly clock: Clock },
): void {
  const { record, current, clock } = options;
  // A lease's transitions go back when a cluster is restored from a backup. The leader of before has lost the lease
  // long since when nothing was heard of it for this long, so a lower epoch isn't refused for ever.
  const nowMs = clock.now();
  const isFenced = current !== undefined || nowMs - record.endedMs < fenceMs;
  const seen = current?.epoch ?? record.row?.leaseEpoch ?? 0n;
  if (isFenced && start.epoch < seen) throw notLeader({ epoch: start.epoch, seen });
  const isOther = current !== undefined && current.agentInstanceId !== start.agentInstanceId;
  const isAlive = record.session !== undefined && nowMs - record.session.heardMs < aliveMs;
  if (isOther && isAlive && start.epoch === seen) throw notLeader({ epoch: start.epoch, seen });
}

/** A signed column holds no more. */
const largestEpoch = 2n ** 63n - 1n;
/** Longer than a lease lasts. */
export const fenceMs = 60_000;
/** Agents are heard of every five seconds. */
export const aliveMs = 12_000;
