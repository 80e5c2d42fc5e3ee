// The life of a rollout.
//
//   running ──asked──► paused ──asked──► running
//   running: a wave is over ──► the next one; or paused, where pauses are wished, until somebody or the time resumes it
//   running, paused ──too many failures, the requester is gone, or cancelled──► stopping: what was asked for goes on to its end
//   running, paused ──all are over──► ended: succeeded or failed
//   stopping ──cancelled──► stopping, towards cancelled;  stopping ──nothing is under way──► ended: stopped or cancelled
import type { RolloutOutcome } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";

export type RolloutState =
  | { readonly is: "running"; readonly wave: number }
  | { readonly is: "paused"; readonly wave: number; readonly why: "asked" | "between-waves" }
  | { readonly is: "stopping"; readonly wave: number; readonly towards: "stopped" | "cancelled" }
  | { readonly is: "ended"; readonly wave: number; readonly outcome: RolloutOutcome };

/** How many of its clusters are in which state. */
export interface Tally {
  readonly waiting: number;
  /** A waiting cluster is in the wave that is under way, or in an earlier one. */
  readonly isWaitingNow: boolean;
  readonly running: number;
  readonly failed: number;
}

export interface RolloutRules {
  /** With so many failures no more are asked; undefined: never. */
  readonly stopAfter: number | undefined;
  readonly pausesBetween: boolean;
}

export type RolloutEvent =
  /** How it stands with its clusters. */
  | { readonly type: "looked"; readonly tally: Tally; readonly rules: RolloutRules }
  | { readonly type: "pause-asked" }
  | { readonly type: "resume-asked" }
  /** A pause between waves is over. */
  | { readonly type: "pause-over" }
  | { readonly type: "cancel-asked" }
  /** By a later one: cancelled, and never more than gracefully. */
  | { readonly type: "replaced" }
  /** Or nothing more is done for them, while they aren't there. */
  | { readonly type: "requester-gone"; readonly refusal?: FairleadError | undefined };

/** The state after an event; the same one where it changes nothing. */
export function nextRolloutState(state: RolloutState, event: RolloutEvent): RolloutState {
  if (state.is === "ended") return state;
  const { wave } = state;
  switch (event.type) {
    case "looked":
      return afterLook(state, event.tally, event.rules);
    case "pause-asked":
      return state.is === "stopping" ? state : { is: "paused", wave, why: "asked" };
    case "resume-asked":
      return state.is === "paused" ? { is: "running", wave } : state;
    case "pause-over":
      return state.is === "paused" && state.why === "between-waves" ? { is: "running", wave } : state;
    case "cancel-asked":
    case "replaced":
      return { is: "stopping", wave, towards: "cancelled" };
    case "requester-gone":
      return state.is === "stopping" ? state : { is: "stopping", wave, towards: "stopped" };
  }
}

function afterLook(
  state: Exclude<RolloutState, { readonly is: "ended" }>,
  tally: Tally,
  rules: RolloutRules,
): RolloutState {
  const { waiting, isWaitingNow, running, failed } = tally;
  const { wave } = state;
  if (state.is === "stopping") return running > 0 ? state : { is: "ended", wave, outcome: state.towards };
  if (waiting > 0 && failed >= (rules.stopAfter ?? Number.POSITIVE_INFINITY))
    return afterLook({ is: "stopping", wave, towards: "stopped" }, tally, rules);
  if (waiting + running === 0) return { is: "ended", wave, outcome: failed > 0 ? "failed" : "succeeded" };
  if (state.is === "paused" || isWaitingNow || running > 0) return state;
  return rules.pausesBetween
    ? { is: "paused", wave: wave + 1, why: "between-waves" }
    : { is: "running", wave: wave + 1 };
}
