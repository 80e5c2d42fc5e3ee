import type { Clock } from "@fairlead/kernel";
import type { LinkBudget } from "./budget.ts";
import type { Carrier } from "./carrier.ts";
import { FrameWriter } from "./frame-writer.ts";
import { Lane } from "./lane.ts";
import type { LinkLimits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { Scheduler } from "./scheduler.ts";

/** One lane with all that belongs to it: who writes to it, whose turn it is, and whether the other end is alive. */
export interface Track {
  readonly lane: Lane;
  readonly writer: FrameWriter;
  readonly scheduler: Scheduler;
  readonly liveness: Liveness;
}

export function createTrack(options: {
  readonly index: number;
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly limits: LinkLimits;
  readonly budget: LinkBudget | undefined;
  readonly ackSoon: () => void;
  readonly onTick?: (() => void) | undefined;
  readonly onDead: (silentMs: number) => void;
}): Track {
  const { index, carrier, clock, budget, ackSoon, onTick, onDead } = options;
  const { retainedBytes, socketHighWaterBytes, pingMs, deadMs } = options.limits;
  const lane = new Lane({ index, carrier, retainedBytes, budget, ackSoon });
  const writer = new FrameWriter(lane);
  return {
    lane,
    writer,
    scheduler: new Scheduler(lane, socketHighWaterBytes),
    liveness: new Liveness({ clock, writer, pingMs, deadMs, onTick, onDead, isOwed: () => lane.retainedBytes > 0 }),
  };
}
