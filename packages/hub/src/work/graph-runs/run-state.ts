// The life of a graph run.
//
//   running ──asked──► paused ──asked──► running
//   running: a wave is over ──► the next one; or paused, where pauses are wished, until somebody or the time resumes it
//   running, paused ──too many failures, the requester is gone, or cancelled──► stopping: what was begun goes on to its end
//   running, paused ──all nodes are over──► ended: succeeded or failed
//   stopping ──cancelled──► stopping, towards cancelled;  stopping ──nothing is under way──► ended: stopped or cancelled
import type { FairleadError } from "@fairlead/kernel";

/** A run whose nodes are ordered by edges is one wave. */
export type GraphRunState =
  | { readonly is: "running"; readonly wave: number }
  | { readonly is: "paused"; readonly wave: number; readonly why: "asked" | "between-waves" }
  | { readonly is: "stopping"; readonly wave: number; readonly towards: "stopped" | "cancelled" }
  | { readonly is: "ended"; readonly wave: number; readonly outcome: GraphRunOutcome };

export type GraphRunOutcome = "succeeded" | "failed" | "stopped" | "cancelled";

/** How many of its nodes are in which state. */
export interface Tally {
  readonly waiting: number;
  /** A waiting node is in the wave that is under way, or in an earlier one. */
  readonly isWaitingNow: boolean;
  readonly running: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface GraphRunRules {
  /** The run stops after this many failures; undefined: it doesn't stop. */
  readonly stopAfter: number | undefined;
  readonly pausesBetween: boolean;
  /** When the nodes that wait are withdrawn from a run that stops: as soon as it is asked to, or at its end. */
  readonly withdraws: "at-once" | "at-end";
}

export type GraphRunEvent =
  /** How it stands with its nodes. */
  | { readonly type: "looked"; readonly tally: Tally; readonly rules: GraphRunRules }
  | { readonly type: "pause-asked" }
  | { readonly type: "resume-asked" }
  /** A pause between waves is over. */
  | { readonly type: "pause-over" }
  | { readonly type: "cancel-asked" }
  /** By a later run: cancelled, and never more than gracefully. */
  | { readonly type: "replaced" }
  /** The requester has no account any more, or nothing is done for them while they aren't there. */
  | { readonly type: "requester-gone"; readonly error?: FairleadError | undefined };

/** The state after an event; the same one where it changes nothing. */
export function nextGraphRunState(state: GraphRunState, event: GraphRunEvent): GraphRunState {
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

type OpenState = Exclude<GraphRunState, { readonly is: "ended" }>;

function afterLook(state: OpenState, tally: Tally, rules: GraphRunRules): GraphRunState {
  const { waiting, isWaitingNow, running, failed } = tally;
  const { wave } = state;
  if (state.is === "stopping") return afterStoppedLook(state, tally, rules);
  if (waiting > 0 && failed >= (rules.stopAfter ?? Number.POSITIVE_INFINITY))
    return afterStoppedLook({ is: "stopping", wave, towards: "stopped" }, tally, rules);
  if (waiting + running === 0) return { is: "ended", wave, outcome: outcomeOf(tally) };
  if (state.is === "paused" || isWaitingNow || running > 0) return state;
  return rules.pausesBetween
    ? { is: "paused", wave: wave + 1, why: "between-waves" }
    : { is: "running", wave: wave + 1 };
}

function afterStoppedLook(
  state: Extract<GraphRunState, { readonly is: "stopping" }>,
  tally: Tally,
  { withdraws }: GraphRunRules,
): GraphRunState {
  const { wave, towards } = state;
  const { waiting, running, cancelled } = tally;
  switch (withdraws) {
    case "at-end":
      return running > 0 ? state : { is: "ended", wave, outcome: towards };
    case "at-once":
      if (waiting + running > 0) return state;
      // A run that was cancelled after its last node had ended keeps the outcome that it had.
      return { is: "ended", wave, outcome: cancelled > 0 ? towards : outcomeOf(tally) };
  }
}

function outcomeOf({ failed, cancelled }: Tally): GraphRunOutcome {
  return failed + cancelled > 0 ? "failed" : "succeeded";
}
