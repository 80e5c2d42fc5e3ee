import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type GuardEvent,
  type GuardState,
  type GuardStep,
  gatherMs,
  type Leaving,
  leavingOf,
  nextGuardState,
  openGuard,
  restoreGuard,
} from "./deletion-guard.ts";

const rules = { guardPercent: 20, guardMin: 5 };

test.each([
  ["4 of 4", 4, 0, "pass"],
  ["5 of 5", 5, 0, "wait"],
  ["5 of 25, just the share", 5, 20, "pass"],
  ["5 of 24, more than the share", 5, 19, "wait"],
  ["20 of 100", 20, 80, "pass"],
  ["21 of 100", 21, 79, "wait"],
] as const)("of what disappears at once, %s", (_, gone, present, expected) => {
  const { state, letGo } = judged(left(openGuard, uids(gone)), present, gatherMs);
  expect(state.is).toBe(expected === "wait" ? "holding" : "open");
  expect(letGo).toEqual(expected === "wait" ? [] : uids(gone));
});

test("a guard that is switched off lets all go at once", () => {
  const all = { guardPercent: 100, guardMin: 1 };
  const step = nextGuardState(left(openGuard, uids(9)), { is: "judged", nowMs: 0, present: 0, rules: all });
  expect([step.state.is, step.letGo]).toEqual(["open", uids(9)]);
});

const held = restoreGuard(leavingAt(uids(6)), 7);
const gathering = left(openGuard, uids(2));
test.each([
  ["open", "left", openGuard, { is: "left", applications: leavingAt(["a"]) }, "gathering", []],
  ["open", "dropped", openGuard, { is: "dropped", uids: ["a"] }, "open", []],
  ["open", "confirmed", openGuard, { is: "confirmed", uids: ["a"] }, "open", []],
  ["open", "judged", openGuard, judging(9), "open", []],
  ["gathering", "left", gathering, { is: "left", applications: leavingAt(["a"]) }, "gathering", []],
  ["gathering", "dropped, some", gathering, { is: "dropped", uids: ["0"] }, "gathering", []],
  ["gathering", "dropped, all", gathering, { is: "dropped", uids: ["0", "1"] }, "open", []],
  ["gathering", "confirmed", gathering, { is: "confirmed", uids: ["0", "1", "x"] }, "open", ["0", "1"]],
  ["gathering", "judged early", gathering, judging(gatherMs - 1), "gathering", []],
  ["gathering", "judged", gathering, judging(gatherMs), "open", ["0", "1"]],
  ["holding", "left", held, { is: "left", applications: leavingAt(["a"]) }, "holding", []],
  ["holding", "dropped, some", held, { is: "dropped", uids: uids(5) }, "holding", []],
  ["holding", "dropped, all", held, { is: "dropped", uids: uids(6) }, "open", []],
  ["holding", "confirmed, some", held, { is: "confirmed", uids: ["0"] }, "holding", ["0"]],
  ["holding", "confirmed, all", held, { is: "confirmed", uids: uids(6) }, "open", uids(6)],
  ["holding", "judged much later", held, judging(9_999_999), "holding", []],
] as const satisfies readonly (readonly [string, string, GuardState, GuardEvent, string, readonly string[]])[])(
  "a guard that is %s, on: %s",
  (_is, _on, state, event, expected, letGo) => {
    const step = nextGuardState(state, event);
    expect(step.state.is).toBe(expected);
    expect(step.letGo).toEqual(letGo);
  },
);

test("deletions one after the other are counted together for a minute, and no longer", () => {
  let state: GuardState = openGuard;
  for (let at = 0; at < 4; at++)
    state = judged(left(state, [`${at}`], at * 10_000), 16 - at, at * 10_000 + gatherMs).state;
  expect(judged(left(state, ["fifth"], 40_000), 15, 40_000 + gatherMs).state.is).toBe("holding");
  const later = judged(left(state, ["fifth"], 70_000), 15, 70_000 + gatherMs);
  expect([later.state.is, later.letGo]).toEqual(["open", ["fifth"]]);
});

test("what disappears beyond a confirmed deletion waits again", () => {
  const { state, letGo } = nextGuardState(left(held, ["later"]), { is: "confirmed", uids: uids(6) });
  expect(letGo).toEqual(uids(6));
  expect([state.is, [...leavingOf(state).keys()]]).toEqual(["holding", ["later"]]);
});

test("whatever happens, no more than the share goes within a minute unless somebody confirmed it", () => {
  const event = fc.oneof(
    fc.record({ is: fc.constant("left" as const), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ is: fc.constant("judged" as const), afterMs: fc.integer({ min: 0, max: 30_000 }) }),
    fc.record({ is: fc.constant("back" as const), count: fc.integer({ min: 1, max: 5 }) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let [state, present, nowMs, made]: [GuardState, number, number, number] = [openGuard, 100, 0, 0];
      const gone: number[] = [];
      for (const one of events) {
        if (one.is === "left") {
          const count = Math.min(present, one.count);
          state = left(
            state,
            Array.from({ length: count }, () => `${made++}`),
            nowMs,
          );
          present -= count;
        } else if (one.is === "back") {
          const back = [...leavingOf(state).keys()].slice(0, one.count);
          state = nextGuardState(state, { is: "dropped", uids: back }).state;
          present += back.length;
        } else {
          nowMs += one.afterMs;
          const step = judged(state, present, nowMs);
          state = step.state;
          gone.push(...step.letGo.map(() => nowMs));
          const recent = gone.filter((atMs) => nowMs - atMs < 60_000).length;
          const all = present + leavingOf(state).size + recent;
          if (step.letGo.length > 0) expect(recent < 5 || recent * 100 <= 20 * all).toBe(true);
        }
      }
    }),
  );
});

function left(state: GuardState, names: readonly string[], atMs = 0): GuardState {
  return nextGuardState(state, { is: "left", applications: leavingAt(names, atMs) }).state;
}

function judged(state: GuardState, present: number, nowMs: number): GuardStep {
  return nextGuardState(state, judging(nowMs, present));
}

function judging(nowMs: number, present = 10): GuardEvent & { readonly is: "judged" } {
  return { is: "judged", nowMs, present, rules };
}

function leavingAt(names: readonly string[], leftMs = 0): Leaving {
  return new Map(names.map((uid) => [uid, { name: `east/${uid}`, leftMs }]));
}

function uids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}
