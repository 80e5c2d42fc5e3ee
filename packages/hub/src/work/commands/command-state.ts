// The life of a command.
//
//   queued ──claimed──► held: claimed, resolving, running ──reported──► ended
//   held ──given back──► queued
//   held ──lease ended──► queued, to be claimed under the next epoch; after the fifth time ► ended: lost
//   queued ──cancelled, or its deadline passed──► ended
//   any of these ──withdrawn──► ended: its cluster isn't there for it any more
//
// A command that was claimed before may have begun: it isn't cancelled or let expire from here, but by the agent that claims
// it next and knows what is half done. Only a second cancel, or an hour after its deadline without any agent, ends it.
import type { CommandOutcome } from "@fairlead/contract";

export type CommandState =
  | ({ readonly is: "queued" } & Course)
  | ({ readonly is: "held"; readonly phase: Phase } & Course)
  | ({ readonly is: "ended"; readonly outcome: CommandOutcome } & Course);

interface Course {
  /** Of the newest claim; 0: never claimed. */
  readonly epoch: number;
  /** The highest sequence of reports under it. */
  readonly reported: number;
  /** How many claims ended without a word of the agent. */
  readonly lapses: number;
  /** What was asked for, until the agent or the hub has decided. */
  readonly cancellation: "graceful" | "forced" | undefined;
}

export const phases = ["claimed", "resolving", "running"] as const;
export type Phase = (typeof phases)[number];

/** An agent says how a command ended. */
const reportedOutcomes = ["succeeded", "failed", "cancelled", "refused"] as const;
export type ReportedOutcome = (typeof reportedOutcomes)[number];

export type CommandEvent =
  | { readonly type: "claimed" }
  | {
      readonly type: "reported";
      readonly epoch: number;
      readonly sequence: number;
      readonly state: "resolving" | "running" | ReportedOutcome;
    }
  | { readonly type: "lease-ended" }
  /** The agent stops, and leaves what it began to the next one. */
  | { readonly type: "given-back" }
  | { readonly type: "cancel-asked" }
  /** By an hour or more: nobody is likely to come for it. */
  | { readonly type: "deadline-passed"; readonly byFar: boolean }
  | { readonly type: "withdrawn" };

/** The state after an event; the same one where it changes nothing. */
export function nextCommandState(state: CommandState, event: CommandEvent): CommandState {
  switch (event.type) {
    case "claimed":
      if (state.is !== "queued") return state;
      return { ...state, is: "held", phase: "claimed", epoch: state.epoch + 1, reported: 0 };
    case "reported":
      return judgeReport(state, event) === "new" ? afterReport(state, event) : state;
    case "lease-ended":
      if (state.is !== "held") return state;
      return afterLapse(state);
    case "given-back":
      if (state.is !== "held") return state;
      return state.epoch < maxClaims ? { ...courseOf(state), is: "queued" } : end(state, "lost");
    case "cancel-asked":
      return afterCancel(state);
    case "deadline-passed":
      if (state.is !== "queued") return state;
      if (state.epoch === 0) return end(state, "expired");
      return event.byFar ? end(state, "lost") : state;
    case "withdrawn":
      if (state.is === "ended") return state;
      return end(state, state.epoch === 0 ? "cancelled" : "lost");
  }
}

/**
 * `repeated`: it counted when it came first. What was begun under an epoch that nobody has followed counts also after its
 * lease ended, but only its end: the agent may have been cut off with the outcome in hand.
 */
export function judgeReport(
  state: CommandState,
  { epoch, sequence, state: said }: Extract<CommandEvent, { readonly type: "reported" }>,
): "new" | "repeated" | "refused" {
  if (state.epoch === 0 || state.epoch !== epoch) return "refused";
  if (sequence <= state.reported) return "repeated";
  switch (state.is) {
    case "held":
      return "new";
    case "queued":
      return isOutcome(said) ? "new" : "refused";
    case "ended":
      return "refused";
  }
}

function afterReport(
  state: CommandState,
  { sequence, state: said }: Extract<CommandEvent, { readonly type: "reported" }>,
): CommandState {
  if (isOutcome(said)) return { ...end(state, said), reported: sequence };
  if (state.is !== "held") return state;
  // Reports may overtake each other; a command goes forward.
  const phase = phases.indexOf(said) > phases.indexOf(state.phase) ? said : state.phase;
  return { ...state, phase, reported: sequence };
}

function afterCancel(state: CommandState): CommandState {
  switch (state.is) {
    case "ended":
      return state;
    case "held":
      return { ...state, cancellation: state.cancellation === undefined ? "graceful" : "forced" };
    case "queued":
      if (state.epoch === 0 || state.cancellation !== undefined) return end(state, "cancelled");
      return { ...state, cancellation: "graceful" };
  }
}

function afterLapse(state: CommandState): CommandState {
  const lapsed = { ...courseOf(state), lapses: state.lapses + 1 };
  return lapsed.lapses < maxLapses ? { ...lapsed, is: "queued" } : { ...end(state, "lost"), lapses: lapsed.lapses };
}

function end(state: CommandState, outcome: CommandOutcome): CommandState {
  return { ...courseOf(state), cancellation: undefined, is: "ended", outcome };
}

function courseOf({ epoch, reported, lapses, cancellation }: CommandState): Course {
  return { epoch, reported, lapses, cancellation };
}

export function isOutcome(state: string): state is ReportedOutcome {
  return (reportedOutcomes as readonly string[]).includes(state);
}

export const maxLapses = 5;
/** Whoever gives back what he claims again and again gets nowhere either. */
export const maxClaims = 100;
