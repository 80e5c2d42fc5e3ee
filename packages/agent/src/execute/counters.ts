import type { Outcome } from "./outcome.ts";

/** For metrics: plain numbers that the work adds to. */
export interface ExecuteCounters {
  claimed: number;
  /** Claims that ended before their commands did. */
  lost: number;
  /** Outcomes that the hub has taken. */
  readonly ended: Record<Outcome["state"], number>;
  /** Outcomes and plans that it hasn't taken yet. */
  unreported: number;
  logBytes: number;
}

export function createExecuteCounters(): ExecuteCounters {
  return {
    claimed: 0,
    lost: 0,
    ended: { succeeded: 0, failed: 0, cancelled: 0, refused: 0 },
    unreported: 0,
    logBytes: 0,
  };
}
