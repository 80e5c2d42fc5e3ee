import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { onAbort, orAbort, untilAbort } from "./abort.ts";

test("the wait for an abort ends with it, and at once when it has happened", async () => {
  const stop = new AbortController();
  const waiting = untilAbort(stop.signal);
  stop.abort();
  await waiting;
  await untilAbort(stop.signal);
});

test("work that settles first decides, and its listener goes with it", async () => {
  const { signal } = new AbortController();
  expect(await orAbort(Promise.resolve(1), signal)).toBe(1);
  await expect(orAbort(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends the wait with its reason, whatever becomes of the work", async () => {
  const stop = new AbortController();
  const work = Promise.withResolvers<never>();
  const waiting = orAbort(work.promise, stop.signal);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  work.reject(new Error("late"));
  await expect(orAbort(new Promise<never>(() => undefined), stop.signal)).rejects.toThrow("enough");
});

test("whoever stops listening isn't called", () => {
  const stop = new AbortController();
  const called = vi.fn();
  onAbort(stop.signal, called)[Symbol.dispose]();
  onAbort(stop.signal, called);
  stop.abort("why");
  expect(called.mock.calls).toEqual([["why"]]);
});
