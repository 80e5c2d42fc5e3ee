import { describe, expect, it } from "vitest";
import type { Carrier, LinkClosed } from "../wire/index.ts";
import { type LaneEvent, type LaneState, nextLaneState } from "./lane-state.ts";

const first = { name: "first" } as unknown as Carrier;
const second = { name: "second" } as unknown as Carrier;
const cause: LinkClosed = { reason: "dead-peer", silentMs: 25_000 };
const later: LinkClosed = { reason: "closed-by-us" };

const states: Readonly<Record<string, LaneState>> = {
  absent: { is: "absent" },
  dialling: { is: "dialling", from: "absent" },
  "dialling again": { is: "dialling", from: "parked" },
  replaying: { is: "replaying", carrier: first },
  up: { is: "up", carrier: first },
  waiting: { is: "waiting", cause },
  parked: { is: "parked" },
};
const events: Readonly<Record<LaneEvent["type"], LaneEvent>> = {
  asked: { type: "asked" },
  attached: { type: "attached", carrier: second },
  "caught-up": { type: "caught-up" },
  lost: { type: "lost", cause: later },
  parked: { type: "parked" },
  expired: { type: "expired" },
  closed: { type: "closed" },
};
const attached: LaneState = { is: "replaying", carrier: second };
const lost: LaneState = { is: "waiting", cause: later };
/** An event that isn't listed changes nothing. */
const moves: Readonly<Record<string, Partial<Record<LaneEvent["type"], LaneState>>>> = {
  absent: { asked: { is: "dialling", from: "absent" }, attached },
  dialling: { attached, closed: { is: "absent" } },
  "dialling again": { attached, closed: { is: "absent" } },
  replaying: {
    attached,
    "caught-up": { is: "up", carrier: first },
    lost,
    parked: { is: "parked" },
    closed: { is: "absent" },
  },
  up: { attached, lost, parked: { is: "parked" }, closed: { is: "absent" } },
  waiting: { attached, expired: { is: "absent" }, closed: { is: "absent" } },
  parked: { asked: { is: "dialling", from: "parked" }, attached, closed: { is: "absent" } },
};

describe.each(Object.entries(states))("a lane that is %s", (name, state) => {
  it.each(Object.entries(events))("when %s", (type, event) => {
    expect(nextLaneState(state, event)).toEqual(moves[name]?.[type as LaneEvent["type"]] ?? state);
  });
});
