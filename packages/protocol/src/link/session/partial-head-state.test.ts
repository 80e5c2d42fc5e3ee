import { describe, expect, it } from "vitest";
import { nextPartialHead, type PartialHead, type PartialHeadEvent } from "./partial-head-state.ts";

const states = {
  none: { is: "none" },
  gathering: { is: "gathering", stream: 1, parts: [Buffer.from("a")], sizeBytes: 1 },
  refused: { is: "refused", stream: 1 },
} as const satisfies Record<string, PartialHead>;

const events = {
  part: { type: "part", stream: 1, bytes: Buffer.from("b") },
  "part of 3": { type: "part", stream: 3, bytes: Buffer.from("c") },
  rest: { type: "rest-came", stream: 1 },
  "rest of 3": { type: "rest-came", stream: 3 },
  refused: { type: "refused", stream: 1 },
  "3 refused": { type: "refused", stream: 3 },
  "given up": { type: "given-up", stream: 1 },
  "3 given up": { type: "given-up", stream: 3 },
  ended: { type: "ended", stream: 1 },
  "3 ended": { type: "ended", stream: 3 },
} as const satisfies Record<string, PartialHeadEvent>;

const expected: Record<keyof typeof states, Record<keyof typeof events, string>> = {
  none: {
    part: "gathering 1: b",
    "part of 3": "gathering 3: c",
    rest: "none",
    "rest of 3": "none",
    refused: "refused 1",
    "3 refused": "refused 3",
    "given up": "none",
    "3 given up": "none",
    ended: "none",
    "3 ended": "none",
  },
  gathering: {
    part: "gathering 1: ab",
    "part of 3": "interrupted",
    rest: "none",
    "rest of 3": "gathering 1: a",
    refused: "refused 1",
    "3 refused": "gathering 1: a",
    "given up": "refused 1",
    "3 given up": "gathering 1: a",
    ended: "none",
    "3 ended": "gathering 1: a",
  },
  refused: {
    part: "refused 1",
    "part of 3": "gathering 3: c",
    rest: "none",
    "rest of 3": "refused 1",
    refused: "refused 1",
    "3 refused": "refused 3",
    "given up": "refused 1",
    "3 given up": "refused 1",
    ended: "none",
    "3 ended": "refused 1",
  },
};

describe("a head in parts", () => {
  for (const [from, state] of Object.entries(states)) {
    for (const [name, event] of Object.entries(events)) {
      const to = expected[from as keyof typeof states][name as keyof typeof events];
      it(`that is ${from} is ${to} after "${name}"`, () => {
        expect(say(nextPartialHead(state, event))).toBe(to);
      });
    }
  }
});

function say(state: PartialHead | "interrupted"): string {
  if (state === "interrupted") return state;
  if (state.is === "gathering") {
    const text = Buffer.concat(state.parts).toString();
    expect(state.sizeBytes).toBe(text.length);
    return `gathering ${state.stream}: ${text}`;
  }
  return state.is === "refused" ? `refused ${state.stream}` : state.is;
}
