import { describe, expect, it } from "vitest";
import { type Due, type DueEvent, nextDue } from "./due.ts";

const events: readonly DueEvent[] = ["frame", "bulk", "callback-ended", "turn-ended"];
const moves: Readonly<Record<Due, Readonly<Record<DueEvent, Due>>>> = {
  nothing: {
    frame: "after-callback",
    bulk: "bulk-after-turn",
    "callback-ended": "nothing",
    "turn-ended": "nothing",
  },
  "after-callback": {
    frame: "after-callback",
    bulk: "after-callback",
    "callback-ended": "nothing-more",
    "turn-ended": "nothing",
  },
  "nothing-more": {
    frame: "after-turn",
    bulk: "after-turn",
    "callback-ended": "nothing-more",
    "turn-ended": "nothing",
  },
  "after-turn": {
    frame: "after-turn",
    bulk: "after-turn",
    "callback-ended": "after-turn",
    "turn-ended": "nothing",
  },
  "bulk-after-turn": {
    frame: "after-callback",
    bulk: "bulk-after-turn",
    "callback-ended": "bulk-after-turn",
    "turn-ended": "nothing",
  },
};

describe.each(Object.keys(moves) as Due[])("a carrier that owes %s", (due) => {
  it.each(events)("when %s", (event) => expect(nextDue(due, event)).toBe(moves[due][event]));
});
