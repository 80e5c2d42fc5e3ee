import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { listenForInterruption } from "./interruption.ts";

test("the first signal and npm's copy of it stop in order, a later one gives up", () => {
  const source = new EventEmitter();
  const giveUp = vi.fn();
  let nowMs = 5000;
  const signal = listenForInterruption({ source, giveUp, now: () => nowMs });
  expect(signal.aborted).toBe(false);
  source.emit("SIGINT");
  nowMs += 100;
  source.emit("SIGINT");
  expect([signal.aborted, giveUp.mock.calls.length]).toEqual([true, 0]);
  nowMs += 2000;
  source.emit("SIGINT");
  expect(giveUp).toHaveBeenCalledOnce();
});

test("npm's death stops it too", async () => {
  let parent = 10;
  const signal = listenForInterruption({ source: new EventEmitter(), giveUp: () => {}, getParent: () => parent });
  parent = 1;
  await vi.waitUntil(() => signal.aborted, { timeout: 10_000 });
});
