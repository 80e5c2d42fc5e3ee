import { describe, expect, it } from "vitest";
import {
  type CommandEvent,
  type CommandState,
  judgeReport,
  maxClaims,
  maxLapses,
  nextCommandState,
} from "./command-state.ts";

const course = { epoch: 2, reported: 3, lapses: 1, cancellation: undefined };
const fresh = { epoch: 0, reported: 0, lapses: 0, cancellation: undefined };
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
  ended: { is: "ended", outcome: "failed", ...course },
  "never begun": { is: "ended", outcome: "cancelled", ...fresh },
};

const said = (state: Extract<CommandEvent, { type: "reported" }>["state"], at = {}): CommandEvent => ({
  ...{ type: "reported", epoch: 2, sequence: 4, state },
  ...at,
});
const events: Readonly<Record<string, CommandEvent>> = {
  claimed: { type: "claimed" },
  "says resolving": said("resolving"),
  "says running": said("running"),
  "says succeeded": said("succeeded"),
  "says succeeded again": said("succeeded", { sequence: 3 }),
  "says succeeded under an old epoch": said("succeeded", { epoch: 1 }),
  "says succeeded under a coming epoch": said("succeeded", { epoch: 3 }),
  "given back": { type: "given-back" },
  "lease ended": { type: "lease-ended" },
  "cancel asked": { type: "cancel-asked" },
  "deadline passed": { type: "deadline-passed", byFar: false },
  "deadline long passed": { type: "deadline-passed", byFar: true },
  withdrawn: { type: "withdrawn" },
};

const same = "-";
/** By state, then by event: the next state in words. What isn't named stays as it is. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  queued: {
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
  ended: {},
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
});

function describeState(state: CommandState): string {
  const name = state.is === "held" ? state.phase : state.is === "ended" ? state.outcome : "queued";
  return [name, `#${state.epoch}`, state.cancellation].filter(Boolean).join(" ");
}
