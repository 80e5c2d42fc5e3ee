import { describe, expect, it } from "vitest";
import {
  firstStreamState,
  nextStreamState,
  type Receiving,
  type Sending,
  type StreamEvent,
  type StreamState,
} from "./stream-state.ts";

const sendings: readonly Sending[] = ["headless", "open", "ending", "ended"];
const receivings: readonly Receiving[] = ["headless", "open", "ending", "finishing", "ended"];

/** Each event has the states that it moves a direction from, and to. It can't happen in any other state. */
const sendingMoves: Partial<Record<StreamEvent, Partial<Record<Sending, Sending>>>> = {
  answered: { headless: "open" },
  ended: { open: "ending" },
  "all-sent": { ending: "ended" },
};
const receivingMoves: Partial<Record<StreamEvent, Partial<Record<Receiving, Receiving>>>> = {
  "head-came": { headless: "open" },
  "end-came": { open: "ended" },
  "end-came-early": { open: "ending" },
  "rest-came": { ending: "ended", finishing: "ended" },
  "rest-unwanted": { ending: "finishing" },
};
const over: StreamState = { is: "over" };
const events: readonly StreamEvent[] = [
  "answered",
  "ended",
  "all-sent",
  "head-came",
  "end-came",
  "end-came-early",
  "rest-came",
  "rest-unwanted",
  "told",
  "reset",
] as StreamEvent[];

describe.each(sendings)("a stream whose own direction is %s", (sending) => {
  describe.each(receivings)("and whose peer's is %s", (receiving) => {
    const state: StreamState = { is: "live", sending, receiving };
    it.each(events)("when %s", (event) => {
      expect(nextStreamState(state, event)).toEqual(expectedOf(sending, receiving, event));
    });
  });
});

describe("a stream that is over", () => {
  it.each(events)("takes no %s", (event) => expect(nextStreamState(over, event)).toBeUndefined());
});

it("begins with the opener's direction open and the other one without a head", () => {
  expect(firstStreamState(true)).toEqual({ is: "live", sending: "open", receiving: "headless" });
  expect(firstStreamState(false)).toEqual({ is: "live", sending: "headless", receiving: "open" });
});

function expectedOf(sending: Sending, receiving: Receiving, event: StreamEvent): StreamState | undefined {
  const same: StreamState = { is: "live", sending, receiving };
  if (event === "reset") return over;
  if (event === "told") return sending === "ended" && receiving === "ended" ? over : same;
  const sent = sendingMoves[event]?.[sending];
  const received = receivingMoves[event]?.[receiving];
  if (sent === undefined && received === undefined) return undefined;
  return { is: "live", sending: sent ?? sending, receiving: received ?? receiving };
}
