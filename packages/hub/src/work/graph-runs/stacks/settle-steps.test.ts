import type { CommandOutcome } from "@fairlead/contract";
import { expect, test } from "vitest";
import { nextGraphRunState } from "../run-state.ts";
import { stackRunRules } from "./port.ts";
import { nameOfRun } from "./rows.ts";
import { countSteps, type RunStep, settleSteps, toTally } from "./settle-steps.ts";

/** 1 and 4 come first, 2 after 1, 3 after 2. */
const steps = (...states: RunStep["state"][]): RunStep[] =>
  [[], [1], [2], []].map((after, index) => ({ place: index + 1, after, state: states[index] ?? waits }));
const under = (command: string) => ({ is: "running", command }) as const;
const done = { is: "succeeded" } as const;
const waits = { is: "waiting" } as const;
const settle = (all: RunStep[], outcomes: Record<string, CommandOutcome>, isCancelled = false) => {
  const before = { is: "running", wave: 1 } as const;
  const asked = isCancelled ? nextGraphRunState(before, { type: "cancel-asked" }) : before;
  const after = settleSteps(all, { outcomes: new Map(Object.entries(outcomes)), isStopping: isCancelled });
  const tally = toTally(countSteps(after.values()));
  const run = nextGraphRunState(asked, { type: "looked", tally, rules: stackRunRules });
  return [nameOfRun(run), [...after.values()].map(({ is }) => is).join(" ")];
};

test.each<[what: string, all: RunStep[], outcomes: Record<string, CommandOutcome>, isCancelled: boolean, object]>([
  ["nothing happened", steps(under("a")), {}, false, ["running", "running waiting waiting waiting"]],
  ["one has ended", steps(under("a")), { a: "succeeded" }, false, ["running", "succeeded waiting waiting waiting"]],
  ["one has failed", steps(under("a")), { a: "lost" }, false, ["running", "failed skipped skipped waiting"]],
  [
    "the last has failed",
    steps(under("a"), waits, waits, done),
    { a: "failed" },
    false,
    ["failed", "failed skipped skipped succeeded"],
  ],
  ["it was cancelled", steps(done, under("b")), {}, true, ["cancelling", "succeeded running cancelled cancelled"]],
  [
    "all were over by then",
    steps(done, done, under("c"), done),
    { c: "succeeded" },
    true,
    ["succeeded", "succeeded succeeded succeeded succeeded"],
  ],
])("when %s", (_what, all, outcomes, isCancelled, expected) => {
  expect(settle(all, outcomes, isCancelled)).toEqual(expected);
});
