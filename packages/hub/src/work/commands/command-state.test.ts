import { describe, expect, it } from "vitest";
import {
  type CommandEvent,
  type CommandState,
  judgeReport,
  maxClaims,
  maxLapses,
  nextCommandState,
} from "./command-state.ts";
import {
  approved,
  begun,
  course,
  describeState,
  events,
  fresh,
  planned,
  type StateTable,
  same,
  unplanned,
} from "./command-states.fixture.ts";

const states: Readonly<Record<string, CommandState>> = {
  queued: { is: "queued", ...fresh },
  "queued again": { is: "queued", ...course },
  "queued again, to be cancelled": { is: "queued", ...course, cancellation: "graceful" },
  claimed: { is: "held", phase: "claimed", ...course },
  resolving: { is: "held", phase: "resolving", ...course },
  running: { is: "held", phase: "running", ...course },
  "running, to be cancelled": { is: "held", phase: "running", ...course, cancellation: "graceful" },
  "running, to be cancelled at once": { is: "held", phase: "running", ...course, cancellation: "forced" },
  "running, and was lost four times": { is: "held", phase: "running", ...course, lapses: maxLapses - 1 },
  "running, and was claimed a hundred times": { is: "held", phase: "running", ...course, epoch: maxClaims },
  "to be planned": { is: "queued", ...fresh, gate: unplanned },
  "to be planned again": { is: "queued", ...course, gate: unplanned },
  planning: { is: "held", phase: "running", ...course, gate: unplanned },
  "planning, to be cancelled": { is: "held", phase: "running", ...course, gate: unplanned, cancellation: "graceful" },
  "planning, and was lost four times": {
    is: "held",
    phase: "running",
    ...course,
    gate: unplanned,
    lapses: maxLapses - 1,
  },
  "awaiting approval": { is: "awaiting", ...course, gate: planned },
  "awaiting one more approval": { is: "awaiting", ...course, gate: { ...planned, given: 1 } },
  approved: { is: "queued", ...course, gate: approved },
  "approved again": { is: "queued", ...course, gate: begun },
  "approved again, to be cancelled": { is: "queued", ...course, gate: begun, cancellation: "graceful" },
  "claimed to be applied": { is: "held", phase: "claimed", ...course, gate: begun },
  applying: { is: "held", phase: "applying", ...course, gate: begun },
  ended: { is: "ended", outcome: "failed", ...course },
  rejected: { is: "ended", outcome: "rejected", ...course, gate: planned },
  "never begun": { is: "ended", outcome: "cancelled", ...fresh },
};

const table: StateTable = {
  queued: {
    "requester unfit": "rejected #0",
    claimed: "claimed #1",
    "cancel asked": "cancelled #0",
    "deadline passed": "expired #0",
    "deadline long passed": "expired #0",
    withdrawn: "cancelled #0",
  },
  "queued again": {
    claimed: "claimed #3",
    "says succeeded": "succeeded #2",
    "cancel asked": "queued #2 graceful",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "queued again, to be cancelled": {
    claimed: "claimed #3 graceful",
    "says succeeded": "succeeded #2",
    "cancel asked": "cancelled #2",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  claimed: {
    "says resolving": "resolving #2",
    "says running": "running #2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "cancel asked": "claimed #2 graceful",
    withdrawn: "lost #2",
  },
  resolving: {
    "says resolving": "resolving #2",
    "says running": "running #2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "cancel asked": "resolving #2 graceful",
    withdrawn: "lost #2",
  },
  running: {
    "says resolving": "running #2",
    "says running": "running #2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "cancel asked": "running #2 graceful",
    withdrawn: "lost #2",
  },
  "running, to be cancelled": {
    "says resolving": "running #2 graceful",
    "says running": "running #2 graceful",
    "says succeeded": "succeeded #2",
    "given back": "queued #2 graceful",
    "lease ended": "queued #2 graceful",
    "cancel asked": "running #2 forced",
    withdrawn: "lost #2",
  },
  "running, to be cancelled at once": {
    "says resolving": "running #2 forced",
    "says running": "running #2 forced",
    "says succeeded": "succeeded #2",
    "given back": "queued #2 forced",
    "lease ended": "queued #2 forced",
    "cancel asked": "running #2 forced",
    withdrawn: "lost #2",
  },
  "running, and was lost four times": {
    "says resolving": "running #2",
    "says running": "running #2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "lost #2",
    "cancel asked": "running #2 graceful",
    withdrawn: "lost #2",
  },
  "running, and was claimed a hundred times": {
    "given back": "lost #100",
    "lease ended": "queued #100",
    "cancel asked": "running #100 graceful",
    withdrawn: "lost #100",
  },
  "to be planned": {
    "requester unfit": "rejected #0",
    claimed: "claimed #1",
    "cancel asked": "cancelled #0",
    "deadline passed": "expired #0",
    "deadline long passed": "expired #0",
    withdrawn: "cancelled #0",
  },
  // Nothing was done, so that nobody has to come for it.
  "to be planned again": {
    "requester unfit": "rejected #2",
    claimed: "claimed #3",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
  planning: {
    "says resolving": "running #2",
    "says running": "running #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "queued #2",
    "cancel asked": "running #2 graceful",
    withdrawn: "cancelled #2",
  },
  "planning, to be cancelled": {
    "says resolving": "running #2 graceful",
    "says running": "running #2 graceful",
    "says planned": "cancelled #2",
    "says succeeded": "succeeded #2",
    "given back": "cancelled #2",
    "lease ended": "cancelled #2",
    "cancel asked": "running #2 forced",
    withdrawn: "cancelled #2",
  },
  "planning, and was lost four times": {
    "says resolving": "running #2",
    "says running": "running #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "queued #2",
    "lease ended": "lost #2",
    "cancel asked": "running #2 graceful",
    withdrawn: "cancelled #2",
  },
  "awaiting approval": {
    "approved, and one before doesn't count": "awaiting-approval #2 1/2",
    "requester unfit": "rejected #2",
    approved: "awaiting-approval #2 1/2",
    rejected: "rejected #2",
    "approval expired": "expired #2",
    "cancel asked": "cancelled #2",
    withdrawn: "cancelled #2",
  },
  "awaiting one more approval": {
    "approved, and one before doesn't count": "awaiting-approval #2 1/2",
    "requester unfit": "rejected #2",
    approved: "approved #2",
    rejected: "rejected #2",
    "approval expired": "expired #2",
    "cancel asked": "cancelled #2",
    withdrawn: "cancelled #2",
  },
  approved: {
    "an approval is lost": "awaiting-approval #2 1/2",
    "requester unfit": "rejected #2",
    claimed: "claimed #3",
    "cancel asked": "cancelled #2",
    "deadline passed": "expired #2",
    "deadline long passed": "expired #2",
    withdrawn: "cancelled #2",
  },
  // Its claim may end with another plan.
  "approved again": {
    claimed: "claimed #3",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "cancel asked": "approved #2 graceful",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "approved again, to be cancelled": {
    claimed: "claimed #3 graceful",
    "says planned": "approved #2 graceful",
    "says succeeded": "succeeded #2",
    "cancel asked": "cancelled #2",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "claimed to be applied": {
    "says resolving": "resolving #2",
    "says running": "running #2",
    "says applying": "applying #2",
    "says planned": "awaiting-approval #2 0/2",
    "says succeeded": "succeeded #2",
    "given back": "approved #2",
    "lease ended": "approved #2",
    "cancel asked": "claimed #2 graceful",
    withdrawn: "lost #2",
  },
  applying: {
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
  ended: {},
  rejected: {},
  "never begun": {},
};

describe.each(Object.entries(states))("a command that is %s", (name, state) => {
  it.each(Object.entries(events))("when: %s", (what, event) => {
    const next = nextCommandState(state, event);
    expect(next === state ? same : describeState(next)).toBe(table[name]?.[what] ?? same);
  });
});

it("counts each report once, and refuses those of others", () => {
  const judge = (name: string, what: string): string =>
    judgeReport(states[name] as CommandState, events[what] as Extract<CommandEvent, { type: "reported" }>);
  expect(judge("running", "says succeeded")).toBe("new");
  expect(judge("running", "says succeeded again")).toBe("repeated");
  expect(judge("ended", "says succeeded again")).toBe("repeated");
  expect(judge("ended", "says succeeded")).toBe("refused");
  expect(judge("running", "says succeeded under an old epoch")).toBe("refused");
  expect(judge("running", "says succeeded under a coming epoch")).toBe("refused");
  expect(judge("queued again", "says running")).toBe("refused");
  expect(judge("never begun", "says succeeded")).toBe("refused");
  expect(judge("running", "says planned")).toBe("refused");
  expect(judge("running", "says applying")).toBe("refused");
  expect(judge("planning", "says applying")).toBe("refused");
  expect(judge("applying", "says planned")).toBe("new");
  expect(judge("approved again", "says planned")).toBe("new");
  expect(judge("awaiting approval", "says succeeded")).toBe("refused");
  // Only proposals are held back.
  expect(judge("planning", "says plan-approval-needed")).toBe("refused");
  expect(judge("running", "says plan-approval-needed")).toBe("refused");
  // Its claim ended with the plan.
  expect(judge("approved", "says succeeded")).toBe("refused");
});
