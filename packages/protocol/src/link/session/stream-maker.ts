import type { Clock } from "@fairlead/kernel";
import { CreditPool, MuxStream, ReceiveWindow, type StreamOwner, WindowTuner } from "../stream/index.ts";
import { maxDataBytes, type OpenHead } from "../wire/index.ts";
import type { LinkBudget } from "./budget.ts";
import type { LinkLimits } from "./limits.ts";
import type { Track } from "./track.ts";

export interface StreamMakerOptions {
  readonly owner: StreamOwner;
  readonly main: Track;
  readonly limits: LinkLimits;
  readonly clock: Clock;
  readonly budget: LinkBudget | undefined;
  /** The budget for data on streams that the peer opens. */
  readonly peerBudget: LinkBudget | undefined;
  readonly budgetOf: BudgetOf | undefined;
}

/** The budget for data on a stream, where a link carries streams of several owners; undefined: the link's own. */
export type BudgetOf = (open: OpenHead) => LinkBudget | undefined;

export type MakeStream = (options: {
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  readonly creditBytes: number;
}) => MuxStream;

export interface StreamMaker {
  readonly make: MakeStream;
  /** The credit for streams that the peer opens. */
  readonly peerPool: CreditPool;
}

/** Makes the streams of one link, which share its credit and what they learn about its path. */
export function createStreamMaker(options: StreamMakerOptions): StreamMaker {
  const { owner, main, limits, clock, budget, peerBudget, budgetOf } = options;
  const pool = new CreditPool(limits.linkCreditBytes, budget);
  const peerPool = new CreditPool(limits.peerCreditBytes, peerBudget);
  const poolsOfOwners = new WeakMap<LinkBudget, CreditPool>();
  const tuning = {
    now: () => clock.steadyMs(),
    rttMs: () => main.lane.liveness.freshRttMs(),
    windowBytes: limits.windowBytes,
    maxWindowBytes: Math.max(limits.maxWindowBytes, limits.windowBytes),
    learned: { bytes: 0, at: Number.NEGATIVE_INFINITY },
  };
  const frameBytes = Math.min(limits.frameBytes, maxDataBytes);
  const { bulkAfterBytes } = limits;
  const make: MakeStream = ({ id, open, isOpener, creditBytes }) => {
    const window = new ReceiveWindow(poolOf(open) ?? (isOpener ? pool : peerPool), new WindowTuner(tuning));
    return new MuxStream({ owner, way: main, id, open, isOpener, creditBytes, window, frameBytes, bulkAfterBytes });
  };
  return { make, peerPool };

  function poolOf(open: OpenHead): CreditPool | undefined {
    const ofOwner = budgetOf?.(open);
    if (ofOwner === undefined) return undefined;
    const known = poolsOfOwners.get(ofOwner) ?? new CreditPool(limits.linkCreditBytes, ofOwner);
    poolsOfOwners.set(ofOwner, known);
    return known;
  }
}
