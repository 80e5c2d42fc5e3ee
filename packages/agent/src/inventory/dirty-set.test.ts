import { expect, test } from "vitest";
import { DirtySet } from "./dirty-set.ts";

const ready = { isReady: true, isBacklog: true, nowMs: 1 };

function send(dirty: DirtySet, sequence: number): string | undefined {
  const next = dirty.peek();
  if (next) dirty.sent(next.uid, sequence);
  return next?.uid;
}

test("an acknowledgement is of what was sent by then, not of what was sent since", () => {
  const dirty = new DirtySet();
  dirty.mark("a", ready);
  send(dirty, 1);
  dirty.mark("a", { ...ready, nowMs: 5 });
  send(dirty, 2);
  dirty.acknowledged("a", 1);
  expect(dirty).toMatchObject({ size: 1, backlog: 1 });
  expect(dirty.oldestSinceMs()).toBe(1);
  dirty.acknowledged("a", 2);
  expect(dirty).toMatchObject({ size: 0, backlog: 0 });
  expect(dirty.oldestSinceMs()).toBeUndefined();
});

test("a change while its object is on its way keeps it waiting", () => {
  const dirty = new DirtySet();
  dirty.mark("a", ready);
  send(dirty, 1);
  dirty.mark("a", { isReady: false, isBacklog: false, nowMs: 5 });
  dirty.acknowledged("a", 1);
  expect(dirty).toMatchObject({ size: 1, backlog: 0, hungryCount: 1 });
});

test("what a fetch finds is too old when the object has changed meanwhile", () => {
  const dirty = new DirtySet();
  dirty.mark("a", { ...ready, isReady: false });
  expect(dirty.takeHungry()).toEqual(["a"]);
  expect(dirty.isFetching("a")).toBe(true);
  dirty.mark("a", { ...ready, isReady: false });
  expect(dirty.isFetching("a")).toBe(false);
  expect(dirty.takeHungry()).toEqual(["a"]);
  expect(dirty.backlog).toBe(1);
});

test("entries come in the order in which they were marked, those that are marked meanwhile too", () => {
  const dirty = new DirtySet();
  for (const uid of ["a", "b", "c"]) dirty.mark(uid, ready);
  expect(dirty.peek()?.uid).toBe("a");
  expect(send(dirty, 1)).toBe("a");
  dirty.mark("a", ready);
  dirty.mark("b", { ...ready, isReady: false });
  expect([send(dirty, 1), send(dirty, 1), send(dirty, 1)]).toEqual(["c", "a", undefined]);
  dirty.mark("b", ready);
  expect(send(dirty, 2)).toBe("b");
});
