import { systemClock } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { createCostlyTurns } from "./costly-turns.ts";

const limits = { maxRunning: 2, maxWaiting: 6, maxWaitingOfOne: 4, maxWaitMs: 60_000 };

function createWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(name);
      ends.push(resolve);
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = (): Promise<unknown> => {
    ends.shift()?.();
    return settle();
  };
  return { begun, work, settle, end };
}

test("one of each caller runs, the callers have turns, and the last has as short a way as the first", async () => {
  const turns = createCostlyTurns({ limits });
  const { begun, work, settle, end } = createWork();
  const all = ["a1", "a2", "a3", "b1", "c1"].map((name) => turns.run(name.charAt(0), work(name)));
  await settle();
  expect(begun).toEqual(["a1", "b1"]);

  for (const _ of all) await end();
  await Promise.all(all);
  expect(begun).toEqual(["a1", "b1", "c1", "a2", "a3"]);
});

test("a caller's own queue is short, and so is that of all", async () => {
  const turns = createCostlyTurns({ limits });
  const { work, settle, end } = createWork();
  const own = Array.from({ length: 5 }, () => turns.run("a", work("a")));
  await settle();
  await expect(turns.run("a", work("a"))).rejects.toMatchObject({ code: "OBJECTS_TOO_BUSY", httpStatus: 429 });
  const others = ["b", "c", "d"].map((name) => turns.run(name, work(name)));
  await settle();
  await expect(turns.run("e", work("e"))).rejects.toMatchObject({ code: "OBJECTS_TOO_BUSY", httpStatus: 503 });

  for (const _ of [...own, ...others]) await end();
  await Promise.all([...own, ...others]);
});

test("nobody waits longer than the limit, and a failure gives its turn back", async () => {
  const turns = createCostlyTurns({ limits: { ...limits, maxWaitMs: 20 }, clock: systemClock });
  const { work, settle, end } = createWork();
  const first = turns.run("a", work("a"));
  await settle();
  await expect(turns.run("a", work("a"))).rejects.toMatchObject({ code: "OBJECTS_TOO_BUSY", retryable: true });
  await end();
  await first;
  await expect(turns.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(turns.run("a", () => Promise.resolve(1))).resolves.toBe(1);
});
