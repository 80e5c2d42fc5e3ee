// The life of a command that tells another plan while it is carried out.
import { describe, expect, it } from "vitest";
import { type CommandEvent, type CommandState, judgeReport, nextCommandState } from "./command-state.ts";
import {
  approvedAgain,
  begun,
  course,
  describeState,
  events,
  givenUp,
  plannedAgain,
  type StateTable,
  same,
} from "./command-states.fixture.ts";

const states: Readonly<Record<string, CommandState>> = {
  "applying, to be cancelled": { is: "held", phase: "applying", ...course, gate: begun, cancellation: "graceful" },
  "awaiting approval of a later plan": { is: "awaiting", ...course, gate: plannedAgain },
  "awaiting one more approval of a later plan": { is: "awaiting", ...course, gate: { ...plannedAgain, given: 1 } },
  "approved in a later round": { is: "queued", ...course, gate: approvedAgain },
  "approved in a later round, to be cancelled": {
    is: "queued",
    ...course,
    gate: approvedAgain,
    cancellation: "graceful",
  },
  "applying in a later round": {
    is: "held",
    phase: "applying",
    ...course,
    epoch: 3,
    gate: approvedAgain,
  },
  "rejected in a later round": {
    is: "queued",
    ...course,
    gate: givenUp,
    cancellation: "graceful",
    endsAs: "rejected",
  },
  "putting right what was rejected": {
    is: "held",
    phase: "applying",
    ...course,
    gate: givenUp,
    cancellation: "graceful",
    endsAs: "rejected",
  },
};

const table: StateTable = {
  // Nobody is asked any more, and the next agent puts right what was done.
  "applying, to be cancelled": {
    "says resolving": "applying #2 graceful",
    "says running": "applying #2 graceful",
    "says applying": "applying #2 graceful",
    "says planned": "approved #2 graceful",
    "says succeeded": "succeeded #2",
    "given back": "approved #2 graceful",
    "lease ended": "approved #2 graceful",
    "cancel asked": "applying #2 forced",
    withdrawn: "lost #2",
  },
  "awaiting approval of a later plan": {
    "approved, and one before doesn't count": "awaiting-approval #2 1/2",
    "requester unfit": "queued #2 graceful",
    approved: "awaiting-approval #2 1/2",
    rejected: "queued #2 graceful",
    "approval expired": "queued #2 graceful",
    "cancel asked": "queued #2 graceful",
    withdrawn: "lost #2",
  },
  "awaiting one more approval of a later plan": {
    "approved, and one before doesn't count": "awaiting-approval #2 1/2",
    "requester unfit": "queued #2 graceful",
    approved: "approved #2",
    rejected: "queued #2 graceful",
    "approval expired": "queued #2 graceful",
    "cancel asked": "queued #2 graceful",
    withdrawn: "lost #2",
  },
  "approved in a later round": {
    claimed: "claimed #3",
    "an approval is lost": "awaiting-approval #2 1/2",
    "requester unfit": "queued #2 graceful",
    "cancel asked": "approved #2 graceful",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "approved in a later round, to be cancelled": {
    claimed: "claimed #3 graceful",
    "cancel asked": "cancelled #2",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "applying in a later round": {
    "says succeeded under a coming epoch": "succeeded #3",
    "given back": "approved #3",
    "lease ended": "approved #3",
    "cancel asked": "applying #3 graceful",
    withdrawn: "lost #3",
  },
  "rejected in a later round": {
    claimed: "claimed #3 graceful",
    "says planned": "queued #2 graceful",
    "says succeeded": "succeeded #2",
    "cancel asked": "rejected #2",
    "deadline long passed": "lost #2",
    withdrawn: "lost #2",
  },
  "putting right what was rejected": {
    "says resolving": "applying #2 graceful",
    "says running": "applying #2 graceful",
    "says applying": "applying #2 graceful",
    "says planned": "queued #2 graceful",
    "says succeeded": "succeeded #2",
    "given back": "queued #2 graceful",
    "lease ended": "queued #2 graceful",
    "cancel asked": "applying #2 forced",
    withdrawn: "lost #2",
  },
};

describe.each(Object.entries(states))("a command that is %s", (name, state) => {
  it.each(Object.entries(events))("when: %s", (what, event) => {
    const next = nextCommandState(state, event);
    expect(next === state ? same : describeState(next)).toBe(table[name]?.[what] ?? same);
  });
});

const applying: CommandState = { is: "held", phase: "applying", ...course, gate: begun };

it("forgets approvals of another plan, and goes back to the plan before when one is given up", () => {
  const said = events["says planned"] as CommandEvent;
  const gateAfter = (name: string, what: string) =>
    nextCommandState(states[name] as CommandState, events[what] as CommandEvent).gate;
  expect(nextCommandState(applying, said).gate).toEqual(plannedAgain);
  expect(gateAfter("applying, to be cancelled", "says planned")).toEqual(begun);
  for (const what of ["rejected", "approval expired", "cancel asked", "requester unfit"])
    expect(gateAfter("awaiting approval of a later plan", what)).toEqual(givenUp);
  const third = nextCommandState(states["applying in a later round"] as CommandState, {
    type: "reported",
    epoch: 3,
    sequence: 4,
    state: "planned",
  });
  expect(third.gate).toEqual({ required: 2, given: 0, planEpoch: 3, round: 3, priorEpoch: 2 });
});

it("ends as what its later plan became, once an agent has put things right", () => {
  const cancelled = { type: "reported", epoch: 2, sequence: 4, state: "cancelled" } as const;
  for (const outcome of ["rejected", "expired", "cancelled"] as const) {
    const state = { ...(states["putting right what was rejected"] as CommandState), endsAs: outcome };
    expect(nextCommandState(state, cancelled)).toMatchObject({ is: "ended", outcome });
  }
  expect(nextCommandState(applying, cancelled)).toMatchObject({ outcome: "cancelled" });
});

it("takes no report of a claim that ended with a plan", () => {
  const judge = (name: string, what: string): string =>
    judgeReport(states[name] as CommandState, events[what] as Extract<CommandEvent, { type: "reported" }>);
  expect(judge("awaiting approval of a later plan", "says planned")).toBe("refused");
  expect(judge("approved in a later round", "says planned")).toBe("refused");
  expect(judge("approved in a later round, to be cancelled", "says succeeded")).toBe("refused");
});
