import { describe, expect, it } from "vitest";
import { nextRunState, type RunState } from "./run-state.ts";
import { countSteps } from "./settle-steps.ts";
import { nextStepState, type StepEvent, type StepState } from "./step-state.ts";

const running: RunState = { is: "running" };
const cancelling: RunState = { is: "cancelling" };
const ended: RunState = { is: "ended", outcome: "failed" };
const end = (outcome: "succeeded" | "failed" | "cancelled") => ({ is: "ended", outcome });

describe("a run", () => {
  const looks: [steps: StepState["is"][], whileRunning: object, whileCancelling: object][] = [
    [["waiting", "failed"], running, cancelling],
    [["running", "cancelled"], running, cancelling],
    [[], end("succeeded"), end("succeeded")],
    [["succeeded", "succeeded"], end("succeeded"), end("succeeded")],
    [["succeeded", "skipped"], end("succeeded"), end("succeeded")],
    [["failed", "skipped"], end("failed"), end("failed")],
    [["succeeded", "cancelled"], end("failed"), end("cancelled")],
    [["failed", "cancelled"], end("failed"), end("cancelled")],
  ];

  it.each(looks)("with steps that are %s is, running %o and cancelling %o", (steps, whileRunning, whileCancelling) => {
    const look = { type: "looked", steps: countSteps(steps.map((is) => ({ is }))) } as const;
    expect(nextRunState(running, look)).toEqual(whileRunning);
    expect(nextRunState(cancelling, look)).toEqual(whileCancelling);
    expect(nextRunState(ended, look)).toBe(ended);
  });

  it("is cancelled once, and not after its end", () => {
    const asked = { type: "cancel-asked" } as const;
    expect([running, cancelling, ended].map((state) => nextRunState(state, asked))).toEqual([
      cancelling,
      cancelling,
      ended,
    ]);
  });
});

describe("a step", () => {
  const waiting: StepState = { is: "waiting" };
  const under: StepState = { is: "running", command: "cmd" };
  const events: StepEvent[] = [
    { type: "begun", command: "cmd" },
    { type: "refused" },
    { type: "nothing-there" },
    { type: "blocked" },
    { type: "withdrawn" },
    { type: "command-ended", outcome: "succeeded" },
    { type: "command-ended", outcome: "cancelled" },
    { type: "command-ended", outcome: "failed" },
    { type: "command-ended", outcome: "lost" },
    { type: "command-ended", outcome: "refused" },
    { type: "command-ended", outcome: "expired" },
  ];
  const after: Record<string, StepState["is"][]> = {
    waiting: ["running", "failed", "succeeded", "skipped", "cancelled", ...Array<"waiting">(6).fill("waiting")],
    running: [
      ...Array<"running">(5).fill("running"),
      ...(["succeeded", "cancelled", "failed", "failed", "failed", "failed"] as const),
    ],
  };

  it.each([waiting, under])("that is $is becomes what each event says", (state) => {
    expect(events.map((event) => nextStepState(state, event).is)).toEqual(after[state.is]);
  });

  it.each(["succeeded", "failed", "skipped", "cancelled"] as const)("that is %s stays so", (is) => {
    const state: StepState = { is };
    for (const event of events) expect(nextStepState(state, event)).toBe(state);
  });
});
