import { describe, expect, it } from "vitest";
import { nextRolloutState, type RolloutEvent, type RolloutState, type Tally } from "./rollout-state.ts";

const states = {
  running: { is: "running", wave: 1 },
  paused: { is: "paused", wave: 1, why: "asked" },
  between: { is: "paused", wave: 2, why: "between-waves" },
  stopping: { is: "stopping", wave: 1, towards: "stopped" },
  cancelling: { is: "stopping", wave: 1, towards: "cancelled" },
  ended: { is: "ended", wave: 1, outcome: "failed" },
} as const satisfies Record<string, RolloutState>;
const tallies = {
  "its turn": { waiting: 3, isWaitingNow: true, running: 0, failed: 0 },
  "under way": { waiting: 3, isWaitingNow: false, running: 1, failed: 0 },
  "wave over": { waiting: 3, isWaitingNow: false, running: 0, failed: 0 },
  "failures, under way": { waiting: 3, isWaitingNow: true, running: 1, failed: 2 },
  failures: { waiting: 3, isWaitingNow: false, running: 0, failed: 2 },
  "failures, nothing waits": { waiting: 0, isWaitingNow: false, running: 1, failed: 2 },
  "all well": { waiting: 0, isWaitingNow: false, running: 0, failed: 0 },
  "all over": { waiting: 0, isWaitingNow: false, running: 0, failed: 2 },
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
const asked: Record<Exclude<RolloutEvent["type"], "looked">, Record<keyof typeof states, object>> = {
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
    const rules = { stopAfter: 2, pausesBetween: false };
    expect(nextRolloutState(states[name], { type: "looked", tally: tallies[tally], rules })).toEqual(
      looks[tally][name],
    );
  });

  it.each((Object.keys(asked) as (keyof typeof asked)[]).flatMap((type) => names.map((name) => [name, type] as const)))(
    "that is %s, on: %s",
    (name, type) => {
      expect(nextRolloutState(states[name], { type })).toEqual(asked[type][name]);
    },
  );

  it("pauses after a wave when that is wished, and minds no failures unless told", () => {
    const look = (rules: { stopAfter: number | undefined; pausesBetween: boolean }, tally: Tally) =>
      nextRolloutState(running, { type: "looked", tally, rules });
    expect(look({ stopAfter: undefined, pausesBetween: true }, tallies["wave over"])).toEqual(nextPaused);
    expect(look({ stopAfter: undefined, pausesBetween: false }, tallies.failures)).toEqual(next);
  });
});
