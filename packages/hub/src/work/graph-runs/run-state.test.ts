import { describe, expect, it } from "vitest";
import type { NodeState } from "./node-state.ts";
import { type GraphRunEvent, type GraphRunState, nextGraphRunState, type Tally } from "./run-state.ts";
import { stackRunRules } from "./stacks/port.ts";
import { countSteps, toTally } from "./stacks/settle-steps.ts";

const states = {
  running: { is: "running", wave: 1 },
  paused: { is: "paused", wave: 1, why: "asked" },
  between: { is: "paused", wave: 2, why: "between-waves" },
  stopping: { is: "stopping", wave: 1, towards: "stopped" },
  cancelling: { is: "stopping", wave: 1, towards: "cancelled" },
  ended: { is: "ended", wave: 1, outcome: "failed" },
} as const satisfies Record<string, GraphRunState>;
const tallies = {
  "its turn": { waiting: 3, isWaitingNow: true, running: 0, failed: 0, cancelled: 0 },
  "under way": { waiting: 3, isWaitingNow: false, running: 1, failed: 0, cancelled: 0 },
  "wave over": { waiting: 3, isWaitingNow: false, running: 0, failed: 0, cancelled: 0 },
  "failures, under way": { waiting: 3, isWaitingNow: true, running: 1, failed: 2, cancelled: 0 },
  failures: { waiting: 3, isWaitingNow: false, running: 0, failed: 2, cancelled: 0 },
  "failures, nothing waits": { waiting: 0, isWaitingNow: false, running: 1, failed: 2, cancelled: 0 },
  "all well": { waiting: 0, isWaitingNow: false, running: 0, failed: 0, cancelled: 0 },
  "all over": { waiting: 0, isWaitingNow: false, running: 0, failed: 2, cancelled: 0 },
} as const satisfies Record<string, Tally>;

const { running, paused, between, stopping, cancelling, ended } = states;
const next = { is: "running", wave: 2 } as const;
const nextPaused = { is: "paused", wave: 2, why: "between-waves" } as const;
const end = (outcome: "succeeded" | "failed" | "stopped" | "cancelled", wave = 1) => ({ is: "ended", wave, outcome });

/** Two failures stop it, and it doesn't pause between waves. */
const looks: Record<keyof typeof tallies, Record<keyof typeof states, object>> = {
  "its turn": { running, paused, between, stopping: end("stopped"), cancelling: end("cancelled"), ended },
  "under way": { running, paused, between, stopping, cancelling, ended },
  "wave over": { running: next, paused, between, stopping: end("stopped"), cancelling: end("cancelled"), ended },
  "failures, under way": {
    running: stopping,
    paused: stopping,
    between: { ...stopping, wave: 2 },
    stopping,
    cancelling,
    ended,
  },
  failures: {
    running: end("stopped"),
    paused: end("stopped"),
    between: end("stopped", 2),
    stopping: end("stopped"),
    cancelling: end("cancelled"),
    ended,
  },
  "failures, nothing waits": { running, paused, between, stopping, cancelling, ended },
  "all well": {
    running: end("succeeded"),
    paused: end("succeeded"),
    between: end("succeeded", 2),
    stopping: end("stopped"),
    cancelling: end("cancelled"),
    ended,
  },
  "all over": {
    running: end("failed"),
    paused: end("failed"),
    between: end("failed", 2),
    stopping: end("stopped"),
    cancelling: end("cancelled"),
    ended,
  },
};
const cancelled = {
  running: cancelling,
  paused: cancelling,
  between: { ...cancelling, wave: 2 },
  stopping: cancelling,
  cancelling,
  ended,
};
const asked: Record<Exclude<GraphRunEvent["type"], "looked">, Record<keyof typeof states, object>> = {
  "pause-asked": { running: paused, paused, between: { ...paused, wave: 2 }, stopping, cancelling, ended },
  "resume-asked": { running, paused: running, between: next, stopping, cancelling, ended },
  "pause-over": { running, paused, between: next, stopping, cancelling, ended },
  "cancel-asked": cancelled,
  replaced: cancelled,
  "requester-gone": {
    running: stopping,
    paused: stopping,
    between: { ...stopping, wave: 2 },
    stopping,
    cancelling,
    ended,
  },
};
const names = Object.keys(states) as (keyof typeof states)[];

describe("a rollout", () => {
  it.each(
    (Object.keys(looks) as (keyof typeof tallies)[]).flatMap((tally) => names.map((name) => [name, tally] as const)),
  )("that is %s, with: %s", (name, tally) => {
    const rules = { stopAfter: 2, pausesBetween: false, withdraws: "at-end" } as const;
    expect(nextGraphRunState(states[name], { type: "looked", tally: tallies[tally], rules })).toEqual(
      looks[tally][name],
    );
  });

  it.each((Object.keys(asked) as (keyof typeof asked)[]).flatMap((type) => names.map((name) => [name, type] as const)))(
    "that is %s, on: %s",
    (name, type) => {
      expect(nextGraphRunState(states[name], { type })).toEqual(asked[type][name]);
    },
  );

  it("pauses after a wave when that is wished, and minds no failures unless told", () => {
    const look = (rules: { stopAfter: number | undefined; pausesBetween: boolean }, tally: Tally) =>
      nextGraphRunState(running, { type: "looked", tally, rules: { ...rules, withdraws: "at-end" } });
    expect(look({ stopAfter: undefined, pausesBetween: true }, tallies["wave over"])).toEqual(nextPaused);
    expect(look({ stopAfter: undefined, pausesBetween: false }, tallies.failures)).toEqual(next);
  });
});

describe("a stack's run", () => {
  const end = (outcome: "succeeded" | "failed" | "cancelled") => ({ is: "ended", wave: 1, outcome });
  const looks: [steps: NodeState["is"][], whileRunning: object, whileCancelling: object][] = [
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
    const tally = toTally(countSteps(steps.map((is) => ({ is }))));
    const look = { type: "looked", tally, rules: stackRunRules } as const;
    expect(nextGraphRunState(running, look)).toEqual(whileRunning);
    expect(nextGraphRunState(cancelling, look)).toEqual(whileCancelling);
    expect(nextGraphRunState(ended, look)).toBe(ended);
  });

  it("is cancelled once, and not after its end", () => {
    const asked = { type: "cancel-asked" } as const;
    expect([running, cancelling, ended].map((state) => nextGraphRunState(state, asked))).toEqual([
      cancelling,
      cancelling,
      ended,
    ]);
  });
});
