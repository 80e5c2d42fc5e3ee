import { describe, expect, it } from "vitest";
import type { LinkClosed } from "../wire/index.ts";
import type { Departure } from "./departure.ts";
import { nextSessionState, type SessionEvent, type SessionState } from "./session-state.ts";

const ours = { name: "ours" } as unknown as Departure;
const again = { name: "again" } as unknown as Departure;
const closed: LinkClosed = { reason: "closed-by-us" };
const before: LinkClosed = { reason: "dead-peer", silentMs: 25_000 };
const weLeave = { ours, isPeers: false };
const peerLeaves = { ours: undefined, isPeers: true };
const bothLeave = { ours, isPeers: true };

const states: Readonly<Record<string, SessionState>> = {
  greeting: { is: "greeting", leaving: undefined },
  "greeting and about to leave": { is: "greeting", leaving: weLeave },
  "greeting and told to leave": { is: "greeting", leaving: peerLeaves },
  open: { is: "open" },
  leaving: { is: "leaving", leaving: weLeave },
  "left by its peer": { is: "leaving", leaving: peerLeaves },
  "left by both": { is: "leaving", leaving: bothLeave },
  closed: { is: "closed", closed: before },
};
const events: Readonly<Record<SessionEvent["type"], SessionEvent>> = {
  greeted: { type: "greeted" },
  "we-leave": { type: "we-leave", departure: again },
  "peer-leaves": { type: "peer-leaves" },
  ended: { type: "ended", closed },
};
const ended: SessionState = { is: "closed", closed };
const leavingAgain = { ours: again, isPeers: false };
/** An event that isn't listed changes nothing. */
const moves: Readonly<Record<string, Partial<Record<SessionEvent["type"], SessionState>>>> = {
  greeting: {
    greeted: { is: "open" },
    "we-leave": { is: "greeting", leaving: leavingAgain },
    "peer-leaves": { is: "greeting", leaving: peerLeaves },
    ended,
  },
  "greeting and about to leave": {
    greeted: { is: "leaving", leaving: weLeave },
    "peer-leaves": { is: "greeting", leaving: bothLeave },
    ended,
  },
  "greeting and told to leave": {
    greeted: { is: "leaving", leaving: peerLeaves },
    "we-leave": { is: "greeting", leaving: { ours: again, isPeers: true } },
    ended,
  },
  open: {
    "we-leave": { is: "leaving", leaving: leavingAgain },
    "peer-leaves": { is: "leaving", leaving: peerLeaves },
    ended,
  },
  leaving: { "peer-leaves": { is: "leaving", leaving: bothLeave }, ended },
  "left by its peer": { "we-leave": { is: "leaving", leaving: { ours: again, isPeers: true } }, ended },
  "left by both": { ended },
  closed: {},
};

describe.each(Object.entries(states))("a session that is %s", (name, state) => {
  it.each(Object.entries(events))("when %s", (type, event) => {
    expect(nextSessionState(state, event)).toEqual(moves[name]?.[type as SessionEvent["type"]] ?? state);
  });
});
