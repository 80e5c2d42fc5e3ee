import type { Lane } from "../lane/index.ts";
import { Scheduler, type Way } from "../stream/index.ts";

/** A lane together with whose turn it is on it. */
export interface Track extends Way {
  readonly lane: Lane;
}

export function createTrack(lane: Lane, socketHighWaterBytes: number): Track {
  return { lane, writer: lane.writer, scheduler: new Scheduler(lane, socketHighWaterBytes) };
}
