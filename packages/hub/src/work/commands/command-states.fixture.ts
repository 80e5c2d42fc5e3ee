// States of commands and events that happen to them, for tests of what becomes of the ones by the others.
import type { CommandEvent, CommandState } from "./command-state.ts";
import { nameOf } from "./rows.ts";

export const course = {
  epoch: 2,
  reported: 3,
  lapses: 1,
  cancellation: undefined,
  gate: undefined,
  proposal: undefined,
  endsAs: undefined,
};
export const fresh = {
  epoch: 0,
  reported: 0,
  lapses: 0,
  cancellation: undefined,
  gate: undefined,
  proposal: undefined,
  endsAs: undefined,
};
const first = { round: 1, priorEpoch: undefined };
export const unplanned = { required: 2, given: 0, planEpoch: undefined, ...first };
/** Planned under the epoch that is the newest. */
export const planned = { required: 2, given: 0, planEpoch: 2, ...first };
export const approved = { required: 2, given: 2, planEpoch: 2, ...first };
/** Claimed again since. */
export const begun = { required: 2, given: 2, planEpoch: 1, ...first };
/** The second plan of a command that is under way. */
export const plannedAgain = { required: 2, given: 0, planEpoch: 2, round: 2, priorEpoch: 1 };
export const approvedAgain = { ...plannedAgain, given: 2 };
export const givenUp = { required: 2, given: 2, planEpoch: 1, ...first };
const said = (state: Extract<CommandEvent, { type: "reported" }>["state"], at = {}): CommandEvent => ({
  type: "reported",
  epoch: 2,
  sequence: 4,
  state,
  ...at,
});
export const events: Readonly<Record<string, CommandEvent>> = {
  claimed: { type: "claimed" },
  "says resolving": said("resolving"),
  "says running": said("running"),
  "says applying": said("applying"),
  "says planned": said("planned"),
  "says planned under an old epoch": said("planned", { epoch: 1 }),
  "says succeeded": said("succeeded"),
  "says succeeded again": said("succeeded", { sequence: 3 }),
  "says succeeded under an old epoch": said("succeeded", { epoch: 1 }),
  "says succeeded under a coming epoch": said("succeeded", { epoch: 3 }),
  "given back": { type: "given-back" },
  "lease ended": { type: "lease-ended" },
  approved: { type: "approved" },
  "approved, and one before doesn't count": { type: "approved", lost: 1 },
  "an approval is lost": { type: "approvals-lost", lost: 1 },
  "says plan-approval-needed": said("plan-approval-needed"),
  "plan approved": { type: "plan-approved" },
  "plan approval lost": { type: "plan-approval-lost" },
  "requester unfit": { type: "requester-unfit" },
  rejected: { type: "rejected" },
  "approval expired": { type: "approval-expired" },
  "cancel asked": { type: "cancel-asked" },
  "deadline passed": { type: "deadline-passed", byFar: false },
  "deadline long passed": { type: "deadline-passed", byFar: true },
  withdrawn: { type: "withdrawn" },
};

export const same = "-";

/** The next state in words, by state and then by event. A state stays as it is for events that aren't named. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function describeState(state: CommandState): string {
  const { epoch, cancellation, gate } = state;
  const missing = state.is === "awaiting" ? `${gate?.given}/${gate?.required}` : undefined;
  return [nameOf(state), `#${epoch}`, cancellation, missing].filter(Boolean).join(" ");
}
