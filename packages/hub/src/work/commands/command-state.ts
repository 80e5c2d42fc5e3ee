// The life of a command.
//
//   queued ──claimed──► held: claimed, resolving, running ──reported──► ended
//   held ──given back──► queued
//   held ──lease ended──► queued, to be claimed under the next epoch; after the fifth time ► ended: lost
//   queued ──cancelled, or its deadline passed──► ended
//   any of these ──withdrawn──► ended: its cluster isn't there for it any more
//
// A command whose plan people approve goes round twice. The first claim plans and changes nothing; the second does what
// was approved.
//
//   queued ──claimed──► held ──planned──► awaiting ──approved by as many as it takes──► queued: approved
//   awaiting ──rejected, cancelled, or its time passed──► ended
//   approved ──claimed──► held: claimed, resolving, applying ──reported──► ended
//
// A command that may have begun to change something isn't cancelled or let expire from here. The agent that claims it
// next does that, since it knows what is half done. Only a second cancel, or an hour after its deadline without any
// agent, ends it.
import type { CommandOutcome } from "@fairlead/contract";

export type CommandState =
  | ({ readonly is: "queued" } & Course)
  | ({ readonly is: "held"; readonly phase: Phase } & Course)
  /** Nobody has it: people look at its plan. */
  | ({ readonly is: "awaiting" } & Course)
  | ({ readonly is: "ended"; readonly outcome: CommandOutcome } & Course);

interface Course {
  /** The newest claim's epoch; 0: never claimed. */
  readonly epoch: number;
  /** The highest sequence of reports under it. */
  readonly reported: number;
  /** How many claims ended without a word of the agent. */
  readonly lapses: number;
  /** How a cancel was asked for, until the agent or the hub has decided. */
  readonly cancellation: "graceful" | "forced" | undefined;
  /** Undefined: nobody is asked. */
  readonly gate: Gate | undefined;
}

/** People approve the plan before anything is done. */
export interface Gate {
  readonly required: number;
  readonly given: number;
  /** Under which the plan was told; undefined: there is none yet. */
  readonly planEpoch: number | undefined;
}

export const phases = ["claimed", "resolving", "running", "applying"] as const;
export type Phase = (typeof phases)[number];

/** An agent says how a command ended. */
const reportedOutcomes = ["succeeded", "failed", "cancelled", "refused"] as const;
export type ReportedOutcome = (typeof reportedOutcomes)[number];

/** `planned` ends a claim, and not the command. */
const reportedSteps = ["resolving", "running", "applying", "planned"] as const;
type ReportedStep = (typeof reportedSteps)[number];
export type ReportedState = ReportedStep | ReportedOutcome;

export type CommandEvent =
  | { readonly type: "claimed" }
  | {
      readonly type: "reported";
      readonly epoch: number;
      readonly sequence: number;
      readonly state: ReportedState;
    }
  | { readonly type: "lease-ended" }
  /** The agent stops, and leaves what it began to the next one. */
  | { readonly type: "given-back" }
  /** By one more who may. */
  | { readonly type: "approved" }
  | { readonly type: "rejected" }
  /** Nobody may approve the plan any more. */
  | { readonly type: "approval-expired" }
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
      return state.epoch < maxClaims ? requeue(state) : end(state, "lost");
    case "approved":
      return state.is === "awaiting" ? afterApproval(state) : state;
    case "rejected":
      return state.is === "awaiting" ? end(state, "rejected") : state;
    case "approval-expired":
      return state.is === "awaiting" ? end(state, "expired") : state;
    case "cancel-asked":
      return afterCancel(state);
    case "deadline-passed":
      if (state.is !== "queued") return state;
      if (!mayHaveBegun(state)) return end(state, "expired");
      return event.byFar ? end(state, "lost") : state;
    case "withdrawn":
      if (state.is === "ended") return state;
      return end(state, mayHaveBegun(state) ? "lost" : "cancelled");
  }
}

/** The errand of the current claim, or of the next. */
export function errandOf({ gate }: Pick<CommandState, "gate">): "run" | "plan" | "apply" {
  if (gate === undefined) return "run";
  return gate.planEpoch === undefined ? "plan" : "apply";
}

/** To change something: who plans doesn't. */
function mayHaveBegun(state: CommandState): boolean {
  switch (errandOf(state)) {
    case "run":
      return state.epoch > 0;
    case "plan":
      return false;
    case "apply":
      return state.epoch > (state.gate?.planEpoch ?? 0);
  }
}

/**
 * `repeated`: it counted when it came first. A report under an epoch that nobody has followed counts also after its
 * lease ended, but only of the end: the agent may have been cut off with the outcome, or the plan, in hand.
 */
export function judgeReport(
  state: CommandState,
  { epoch, sequence, state: said }: Extract<CommandEvent, { readonly type: "reported" }>,
): "new" | "repeated" | "refused" {
  if (state.epoch === 0 || state.epoch !== epoch) return "refused";
  if (sequence <= state.reported) return "repeated";
  if (!isOnErrand(state, said)) return "refused";
  switch (state.is) {
    case "held":
      return "new";
    case "queued":
      return isLast(said) && !isUntouched(state) ? "new" : "refused";
    case "awaiting":
    case "ended":
      return "refused";
  }
}

function isOnErrand(state: CommandState, said: ReportedState): boolean {
  if (said === "planned") return errandOf(state) === "plan";
  return said !== "applying" || errandOf(state) === "apply";
}

/** Approved, and not claimed since. */
function isUntouched(state: CommandState): boolean {
  return errandOf(state) === "apply" && !mayHaveBegun(state);
}

function afterReport(
  state: CommandState,
  { sequence, state: said }: Extract<CommandEvent, { readonly type: "reported" }>,
): CommandState {
  if (isOutcome(said)) return { ...end(state, said), reported: sequence };
  if (said === "planned") return { ...afterPlan(state), reported: sequence };
  if (state.is !== "held") return state;
  // Reports may overtake each other; a command goes forward.
  const phase = phases.indexOf(said) > phases.indexOf(state.phase) ? said : state.phase;
  return { ...state, phase, reported: sequence };
}

function afterPlan(state: CommandState): CommandState {
  const { gate, epoch } = state;
  if (gate === undefined) return state;
  // Nothing was done, and nobody has to be asked about it.
  if (state.cancellation !== undefined) return end(state, "cancelled");
  return { ...courseOf(state), is: "awaiting", gate: { ...gate, planEpoch: epoch } };
}

function afterApproval(state: CommandState): CommandState {
  const { gate } = state;
  if (gate === undefined) return state;
  const given = gate.given + 1;
  return { ...courseOf(state), is: given < gate.required ? "awaiting" : "queued", gate: { ...gate, given } };
}

function afterCancel(state: CommandState): CommandState {
  switch (state.is) {
    case "ended":
      return state;
    case "held":
      return { ...state, cancellation: state.cancellation === undefined ? "graceful" : "forced" };
    case "awaiting":
      return end(state, "cancelled");
    case "queued":
      if (!mayHaveBegun(state) || state.cancellation !== undefined) return end(state, "cancelled");
      return { ...state, cancellation: "graceful" };
  }
}

function afterLapse(state: CommandState): CommandState {
  const lapses = state.lapses + 1;
  return lapses < maxLapses ? requeue({ ...state, lapses }) : { ...end(state, "lost"), lapses };
}

/** To be cancelled, and nothing is half done: nobody has to come for it. */
function requeue(state: CommandState): CommandState {
  const isOver = state.cancellation !== undefined && !mayHaveBegun(state);
  return isOver ? end(state, "cancelled") : { ...courseOf(state), is: "queued" };
}

function end(state: CommandState, outcome: CommandOutcome): CommandState {
  return { ...courseOf(state), cancellation: undefined, is: "ended", outcome };
}

function courseOf({ epoch, reported, lapses, cancellation, gate }: CommandState): Course {
  return { epoch, reported, lapses, cancellation, gate };
}

export function isOutcome(state: string): state is ReportedOutcome {
  return (reportedOutcomes as readonly string[]).includes(state);
}

export function isReportedState(state: string): state is ReportedState {
  return isOutcome(state) || (reportedSteps as readonly string[]).includes(state);
}

/** Nothing more is said under its epoch. */
function isLast(state: ReportedState): boolean {
  return isOutcome(state) || state === "planned";
}

export const maxLapses = 5;
/** Bounds the rounds of a command that agents give back again and again. */
export const maxClaims = 100;
