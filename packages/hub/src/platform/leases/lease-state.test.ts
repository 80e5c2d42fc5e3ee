import { describe, expect, it } from "vitest";
import { type LeaseEvent, type LeaseState, nextLeaseState } from "./lease-state.ts";

const states = {
  held: { kind: "held", untilMs: 100 },
  lost: { kind: "lost" },
  released: { kind: "released" },
} as const satisfies Record<string, LeaseState>;
const events = {
  renewed: { kind: "renewed", untilMs: 150, nowMs: 99 },
  "renewed for less": { kind: "renewed", untilMs: 90, nowMs: 99 },
  "renewed too late": { kind: "renewed", untilMs: 150, nowMs: 100 },
  refused: { kind: "refused" },
  "before the time": { kind: "time", nowMs: 99 },
  "when it is time": { kind: "time", nowMs: 100 },
  released: { kind: "released" },
} as const satisfies Record<string, LeaseEvent>;

type Row = Record<keyof typeof events, LeaseState>;
const { held, lost, released } = states;
const always = (state: LeaseState): Row =>
  Object.fromEntries(Object.keys(events).map((event) => [event, state])) as Row;

const table: Record<keyof typeof states, Row> = {
  held: {
    renewed: { kind: "held", untilMs: 150 },
    "renewed for less": held,
    "renewed too late": lost,
    refused: lost,
    "before the time": held,
    "when it is time": lost,
    released,
  },
  lost: always(lost),
  released: always(released),
};

describe("a lease", () => {
  const cases = Object.keys(states).flatMap((state) => Object.keys(events).map((event) => [state, event]));
  it.each(cases as [keyof typeof states, keyof typeof events][])("that is %s, on: %s", (state, event) => {
    expect(nextLeaseState(states[state], events[event])).toEqual(table[state][event]);
  });
});
