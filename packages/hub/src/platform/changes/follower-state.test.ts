import { describe, expect, it } from "vitest";
import { beginsReading, type FollowerEvent, type FollowerState, nextFollowerState } from "./follower-state.ts";

const same = { number: 9, value: "5" };
const other = { number: 9, value: "4" };
const states = {
  unread: { kind: "unread", covered: 0 },
  even: { kind: "even", covered: 3, value: "5" },
  reading: { kind: "reading", covered: 3, now: { number: 4, value: "5" }, next: undefined },
  behind: { kind: "reading", covered: 3, now: { number: 4, value: "5" }, next: { number: 6, value: "7" } },
  failed: { kind: "failed", covered: 3, next: { number: 4, value: "5" } },
  ended: { kind: "ended", covered: 3 },
} as const satisfies Record<string, FollowerState>;
const events = {
  same: { kind: "looked", look: same },
  other: { kind: "looked", look: other },
  read: { kind: "read" },
  failed: { kind: "failed" },
  due: { kind: "due" },
  ended: { kind: "ended" },
} as const satisfies Record<string, FollowerEvent>;

type Row = Record<keyof typeof events, FollowerState>;
const reading = (covered: number, now: typeof same): FollowerState => ({
  kind: "reading",
  covered,
  now,
  next: undefined,
});
const ended: FollowerState = { kind: "ended", covered: 3 };

const table: Record<keyof typeof states, Row> = {
  unread: {
    same: reading(0, same),
    other: reading(0, other),
    read: states.unread,
    failed: states.unread,
    due: states.unread,
    ended: { kind: "ended", covered: 0 },
  },
  even: {
    same: { kind: "even", covered: 9, value: "5" },
    other: reading(3, other),
    read: states.even,
    failed: states.even,
    due: states.even,
    ended,
  },
  reading: {
    same: reading(3, same),
    other: { ...states.reading, next: other },
    read: { kind: "even", covered: 4, value: "5" },
    failed: { kind: "failed", covered: 3, next: states.reading.now },
    due: states.reading,
    ended,
  },
  behind: {
    // The counter went on and came back: something was committed since the reread began.
    same: { ...states.behind, next: same },
    other: { ...states.behind, next: other },
    read: { kind: "reading", covered: 4, now: states.behind.next, next: undefined },
    failed: { kind: "failed", covered: 3, next: states.behind.next },
    due: states.behind,
    ended,
  },
  failed: {
    same: { ...states.failed, next: same },
    other: { ...states.failed, next: other },
    read: states.failed,
    failed: states.failed,
    due: reading(3, states.failed.next),
    ended,
  },
  ended: { same: ended, other: ended, read: ended, failed: ended, due: ended, ended },
};

describe("a follower", () => {
  const cases = Object.keys(states).flatMap((state) => Object.keys(events).map((event) => [state, event]));
  it.each(cases as [keyof typeof states, keyof typeof events][])("that is %s, on %s", (state, event) => {
    expect(nextFollowerState(states[state], events[event])).toEqual(table[state][event]);
  });

  it("reads when it begins to, and again after a read that came too early", () => {
    const begins = (state: FollowerState, event: FollowerEvent): boolean =>
      beginsReading(state, event, nextFollowerState(state, event));
    expect(begins(states.unread, events.same)).toBe(true);
    expect(begins(states.even, events.other)).toBe(true);
    expect(begins(states.failed, events.due)).toBe(true);
    expect(begins(states.behind, events.read)).toBe(true);
    expect(begins(states.reading, events.other)).toBe(false);
    expect(begins(states.reading, events.read)).toBe(false);
    expect(begins(states.failed, events.other)).toBe(false);
  });
});
