import { describe, expect, it } from "vitest";
import { type CommandEvent, type CommandState, judgeReport, nextCommandState } from "./command-state.ts";
import {
  approved,
  begun,
  course,
  describeState,
  events,
  fresh,
  type StateTable,
  same,
  unplanned,
} from "./command-states.fixture.ts";

const proposed = { isPlanApproved: false, heldEpoch: undefined };
/** Under the epoch that is the newest. */
const held = { isPlanApproved: false, heldEpoch: 2 };
const heldBefore = { isPlanApproved: true, heldEpoch: 1 };
const states: Readonly<Record<string, CommandState>> = {
  proposed: { is: "queued", ...fresh, gate: unplanned, proposal: proposed },
  "proposed and claimed": { is: "held", phase: "claimed", ...course, gate: unplanned, proposal: proposed },
  "proposed and claimed, to be cancelled": {
    is: "held",
    phase: "claimed",
    ...course,
    gate: unplanned,
    proposal: proposed,
    cancellation: "graceful",
  },
  "held back": { is: "awaiting-plan", ...course, gate: unplanned, proposal: held },
  "approved to be planned": { is: "queued", ...course, gate: unplanned, proposal: { ...held, isPlanApproved: true } },
  "planned after approval": { is: "held", phase: "running", ...course, gate: unplanned, proposal: heldBefore },
  "a proposal whose plan is approved": { is: "queued", ...course, gate: approved, proposal: heldBefore },
  "a proposal that is being applied": { is: "held", phase: "applying", ...course, gate: begun, proposal: heldBefore },
  "a proposed dry run, claimed": { is: "held", phase: "claimed", ...course, proposal: proposed },
  "a proposed dry run, queued again": { is: "queued", ...course, proposal: proposed },
  "a proposed dry run, held back": { is: "awaiting-plan", ...course, proposal: held },
  "a proposed dry run, approved to be planned": {
    is: "queued",
    ...course,
    proposal: { ...held, isPlanApproved: true },
  },
};

const table: StateTable = {
  proposed: {
    claimed: "claimed #1",
    "requester unfit": "rejected #0",
    "cancel asked": "cancelled #0",
    "deadline passed": "expired #0",
    "deadline long passed": "expired #0",
    withdrawn: "cancelled #0",
  },
  "proposed and claimed": {
    "says resolving": "resolving #2",
    "says running": "running #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "says plan-approval-needed": "awaiting-plan-approval #2",
    "cancel asked": "claimed #2 graceful",
    withdrawn: "cancelled #2",
  },
  "proposed and claimed, to be cancelled": {
    "says resolving": "resolving #2 graceful",
    "says running": "running #2 graceful",
    "says planned": "cancelled #2",
    "says succeeded": "succeeded #2",
    "given back": "cancelled #2",
    "lease ended": "cancelled #2",
    "says plan-approval-needed": "cancelled #2",
    "cancel asked": "claimed #2 forced",
    withdrawn: "cancelled #2",
  },
  "held back": {
    "plan approved": "queued #2",
    "requester unfit": "rejected #2",
    rejected: "rejected #2",
    "approval expired": "expired #2",
    "cancel asked": "cancelled #2",
    withdrawn: "cancelled #2",
  },
  "approved to be planned": {
    claimed: "claimed #3",
    "plan approval lost": "awaiting-plan-approval #2",
    "requester unfit": "rejected #2",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
  "planned after approval": {
    "says resolving": "running #2",
    "says running": "running #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "cancel asked": "running #2 graceful",
    withdrawn: "cancelled #2",
  },
  "a proposal whose plan is approved": {
    claimed: "claimed #3",
    "an approval is lost": "awaiting-approval #2 1/2",
    "requester unfit": "rejected #2",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
  "a proposal that is being applied": {
    "says resolving": "applying #2",
    "says running": "applying #2",
    "says applying": "applying #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "approved #2",
    "lease ended": "approved #2",
    "cancel asked": "applying #2 graceful",
    withdrawn: "lost #2",
  },
  "a proposed dry run, claimed": {
    "says resolving": "resolving #2",
    "says running": "running #2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "says plan-approval-needed": "awaiting-plan-approval #2",
    "cancel asked": "claimed #2 graceful",
    withdrawn: "cancelled #2",
  },
  "a proposed dry run, queued again": {
    claimed: "claimed #3",
    "says succeeded": "succeeded #2",
    "says plan-approval-needed": "awaiting-plan-approval #2",
    "requester unfit": "rejected #2",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
  "a proposed dry run, held back": {
    "plan approved": "queued #2",
    "requester unfit": "rejected #2",
    rejected: "rejected #2",
    "approval expired": "expired #2",
    "cancel asked": "cancelled #2",
    withdrawn: "cancelled #2",
  },
  "a proposed dry run, approved to be planned": {
    claimed: "claimed #3",
    "plan approval lost": "awaiting-plan-approval #2",
    "requester unfit": "rejected #2",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
};

describe.each(Object.entries(states))("a command that is %s", (name, state) => {
  it.each(Object.entries(events))("when: %s", (what, event) => {
    const next = nextCommandState(state, event);
    expect(next === state ? same : describeState(next)).toBe(table[name]?.[what] ?? same);
  });
});

it("takes no report under a claim that ended when the proposal was held back", () => {
  const judge = (name: string, what: string): string =>
    judgeReport(states[name] as CommandState, events[what] as Extract<CommandEvent, { type: "reported" }>);
  // Its claim ended when it was held back.
  expect(judge("held back", "says succeeded")).toBe("refused");
  expect(judge("approved to be planned", "says succeeded")).toBe("refused");
  expect(judge("a proposed dry run, approved to be planned", "says succeeded")).toBe("refused");
  // None is held back when somebody has approved planning.
  expect(judge("planned after approval", "says plan-approval-needed")).toBe("refused");
  expect(judge("a proposal that is being applied", "says plan-approval-needed")).toBe("refused");
});
