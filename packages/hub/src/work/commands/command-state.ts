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
//   approved ──an approver lost the right to──► awaiting
//   approved ──claimed──► held: claimed, resolving, applying ──reported──► ended
//
// An agent that comes to something that nobody has seen yet tells another plan, and is gone on with once that is approved.
//
//   held: applying ──planned──► awaiting, in the next round
//   awaiting, in a later round ──rejected, cancelled, or its time passed──► queued, to be cancelled: what was done so far
//   is put right by the approvals of the round before
//
// A proposal may be held back by its agent before it is planned, until somebody approves that.
//
//   held ──plan-approval-needed──► awaiting-plan ──approved to plan──► queued
//   awaiting-plan ──rejected, cancelled, or its time passed──► ended
//   queued ──whoever approved that lost the right to──► awaiting-plan
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
  /** Nobody has it: people decide whether it is planned at all. */
  | ({ readonly is: "awaiting-plan" } & Course)
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
  /** Undefined: its requester could have created it. */
  readonly proposal: Proposal | undefined;
  /** A later plan wasn't approved: this becomes of it once an agent has put things right. */
  readonly endsAs: GivenUp | undefined;
}

type GivenUp = "rejected" | "expired" | "cancelled";

/** A proposal without a gate is a dry run. */
export interface Proposal {
  readonly isPlanApproved: boolean;
  /** Under which an agent held it back; undefined: none has. */
  readonly heldEpoch: number | undefined;
}

/** People approve the plan before anything is done. */
export interface Gate {
  readonly required: number;
  readonly given: number;
  /** Under which the plan was told; undefined: there is none yet. */
  readonly planEpoch: number | undefined;
  /** Of the plan: 1 for the one that is made before anything is done. */
  readonly round: number;
  /** Under which the plan was told that was approved before this one; undefined in the first round. */
  readonly priorEpoch: number | undefined;
}

export const phases = ["claimed", "resolving", "running", "applying"] as const;
export type Phase = (typeof phases)[number];

/** An agent says how a command ended. */
const reportedOutcomes = ["succeeded", "failed", "cancelled", "refused"] as const;
export type ReportedOutcome = (typeof reportedOutcomes)[number];

/** The last two end a claim, and not the command. */
const reportedSteps = ["resolving", "running", "applying", "planned", "plan-approval-needed"] as const;
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
  /** By one more who may. `lost` of those before don't count any more. */
  | { readonly type: "approved"; readonly lost?: number }
  /** So many who approved may not any more. */
  | { readonly type: "approvals-lost"; readonly lost: number }
  /** That it is planned. */
  | { readonly type: "plan-approved" }
  /** Whoever approved that it is planned may not any more. */
  | { readonly type: "plan-approval-lost" }
  /** Whoever asked for it may not any more. */
  | { readonly type: "requester-unfit" }
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
      return state.is === "awaiting" ? afterApproval(state, event.lost ?? 0) : state;
    case "approvals-lost":
      return state.is === "queued" && isFresh(state) ? afterLoss(state, event.lost) : state;
    case "plan-approved":
      return state.is === "awaiting-plan" ? { ...afterPlanning(state, true), is: "queued" } : state;
    case "plan-approval-lost":
      return state.is === "queued" && errandOf(state) !== "apply" && state.proposal?.isPlanApproved === true
        ? { ...afterPlanning(state, false), is: "awaiting-plan" }
        : state;
    case "requester-unfit":
      return isWaiting(state) || (state.is === "queued" && (!mayHaveBegun(state) || isFresh(state)))
        ? giveUp(state, "rejected")
        : state;
    case "rejected":
      return isWaiting(state) ? giveUp(state, "rejected") : state;
    case "approval-expired":
      return isWaiting(state) ? giveUp(state, "expired") : state;
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

/** For people. */
export function isWaiting({ is }: CommandState): boolean {
  return is === "awaiting" || is === "awaiting-plan";
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
      // A proposal that is run at once is a dry run.
      return state.epoch > 0 && state.proposal === undefined;
    case "plan":
      return false;
    case "apply":
      return state.gate?.priorEpoch !== undefined || state.epoch > (state.gate?.planEpoch ?? 0);
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
    case "awaiting-plan":
    case "ended":
      return "refused";
  }
}

function isOnErrand(state: CommandState, said: ReportedState): boolean {
  // While it is applied, something may come up that nobody has seen yet.
  if (said === "planned") return errandOf(state) !== "run";
  if (said === "plan-approval-needed") return state.proposal?.isPlanApproved === false && errandOf(state) !== "apply";
  return said !== "applying" || errandOf(state) === "apply";
}

/** Approved, or approved to be planned, and not claimed since. */
function isUntouched(state: CommandState): boolean {
  if (errandOf(state) === "apply") return state.epoch === state.gate?.planEpoch;
  return state.proposal?.heldEpoch === state.epoch;
}

/** Approved and not claimed since: rights are judged again. What is to be cancelled is brought to its end. */
function isFresh(state: CommandState): boolean {
  return errandOf(state) === "apply" && isUntouched(state) && state.cancellation === undefined;
}

function afterReport(
  state: CommandState,
  { sequence, state: said }: Extract<CommandEvent, { readonly type: "reported" }>,
): CommandState {
  if (isOutcome(said))
    return { ...end(state, said === "cancelled" ? (state.endsAs ?? said) : said), reported: sequence };
  if (said === "planned") return { ...afterPlan(state), reported: sequence };
  if (said === "plan-approval-needed") return { ...afterHold(state), reported: sequence };
  if (state.is !== "held") return state;
  // Reports may overtake each other; a command goes forward.
  const phase = phases.indexOf(said) > phases.indexOf(state.phase) ? said : state.phase;
  return { ...state, phase, reported: sequence };
}

function afterPlan(state: CommandState): CommandState {
  const { gate, epoch } = state;
  if (gate === undefined) return state;
  // Nobody has to be asked about what is to be cancelled.
  if (state.cancellation !== undefined) return requeue(state);
  return { ...courseOf(state), is: "awaiting", gate: nextRound(gate, epoch) };
}

/** Approvals of another plan don't count. */
function nextRound(gate: Gate, epoch: number): Gate {
  const { planEpoch: priorEpoch, round } = gate;
  if (priorEpoch === undefined) return { ...gate, planEpoch: epoch };
  return { ...gate, given: 0, planEpoch: epoch, round: round + 1, priorEpoch };
}

/** In a later round an agent comes for it once more, by what was approved before, and puts things right. */
function giveUp(state: CommandState, outcome: GivenUp): CommandState {
  const { gate } = state;
  if (gate?.priorEpoch === undefined) return end(state, outcome);
  const { required, round, priorEpoch: planEpoch } = gate;
  const before: Gate = { required, given: required, planEpoch, round: round - 1, priorEpoch: undefined };
  return { ...courseOf(state), is: "queued", cancellation: "graceful", endsAs: outcome, gate: before };
}

function afterHold(state: CommandState): CommandState {
  if (state.cancellation !== undefined) return end(state, "cancelled");
  const proposal = { isPlanApproved: false, heldEpoch: state.epoch };
  return { ...courseOf(state), is: "awaiting-plan", proposal };
}

function afterPlanning(state: CommandState, isPlanApproved: boolean): Course {
  const heldEpoch = state.proposal?.heldEpoch;
  return { ...courseOf(state), proposal: { isPlanApproved, heldEpoch } };
}

function afterLoss(state: CommandState, lost: number): CommandState {
  const { gate } = state;
  if (gate === undefined || errandOf(state) !== "apply" || lost === 0) return state;
  const given = Math.max(0, gate.given - lost);
  return { ...courseOf(state), is: given < gate.required ? "awaiting" : "queued", gate: { ...gate, given } };
}

function afterApproval(state: CommandState, lost: number): CommandState {
  const { gate } = state;
  if (gate === undefined) return state;
  const given = Math.max(0, gate.given - lost) + 1;
  return { ...courseOf(state), is: given < gate.required ? "awaiting" : "queued", gate: { ...gate, given } };
}

function afterCancel(state: CommandState): CommandState {
  switch (state.is) {
    case "ended":
      return state;
    case "held":
      return { ...state, cancellation: state.cancellation === undefined ? "graceful" : "forced" };
    case "awaiting":
    case "awaiting-plan":
      return giveUp(state, "cancelled");
    case "queued":
      if (!mayHaveBegun(state) || state.cancellation !== undefined) return end(state, state.endsAs ?? "cancelled");
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

function courseOf({ epoch, reported, lapses, cancellation, gate, proposal, endsAs }: CommandState): Course {
  return { epoch, reported, lapses, cancellation, gate, proposal, endsAs };
}

export function isOutcome(state: string): state is ReportedOutcome {
  return (reportedOutcomes as readonly string[]).includes(state);
}

export function isReportedState(state: string): state is ReportedState {
  return isOutcome(state) || (reportedSteps as readonly string[]).includes(state);
}

/** Nothing more is said under its epoch. */
function isLast(state: ReportedState): boolean {
  return isOutcome(state) || state === "planned" || state === "plan-approval-needed";
}

export const maxLapses = 5;
/** Bounds the rounds of a command that agents give back again and again. */
export const maxClaims = 100;
