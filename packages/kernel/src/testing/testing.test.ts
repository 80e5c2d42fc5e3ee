import { expect, test } from "vitest";
import { createMovableClock, createSkippingClock, until, waitUntil } from "./index.ts";

test("timers run in order, each at its own time, and those they start run in the same move", () => {
  const clock = createMovableClock(1_000);
  const ran: string[] = [];
  clock.after(30, () => ran.push(`late ${clock.now()}`));
  clock.after(10, () => {
    ran.push(`early ${clock.now()}`);
    clock.after(5, () => ran.push(`next ${clock.now()}`));
  });
  clock.after(20, () => ran.push("cancelled"))();
  clock.move(29);
  expect([...ran, clock.now(), clock.pendingCount]).toEqual(["early 1010", "next 1015", 1_029, 1]);
  clock.move(-500);
  clock.move(501);
  expect([...ran, clock.pendingCount]).toEqual(["early 1010", "next 1015", "late 1030", 0]);
});

test("after a jump, timers run late", () => {
  const clock = createMovableClock();
  const ran: number[] = [];
  clock.after(20, () => ran.push(clock.now()));
  clock.after(10, () => clock.after(5, () => ran.push(clock.now())));
  clock.jump(100);
  expect([...ran, clock.pendingCount]).toEqual([100, 1]);
});

test("a clock that somebody sets shows another time, and nothing that is waited for comes sooner or later", () => {
  const clock = createMovableClock(1_000);
  const ran: number[] = [];
  clock.after(10, () => ran.push(clock.steadyMs()));
  clock.set(90_000_000);
  expect([clock.now(), clock.steadyMs(), ran]).toEqual([90_001_000, 0, []]);
  clock.set(-180_000_000);
  clock.move(10);
  expect([clock.now(), clock.steadyMs(), ran]).toEqual([-89_998_990, 10, [10]]);
});

test("a skipping clock takes no time, and counts what it skipped", async () => {
  const clock = createSkippingClock({ startMs: 5, isHeld: (delayMs) => delayMs === 7 });
  clock.after(7, () => expect.unreachable());
  await new Promise<void>((resolve) => clock.after(3_600_000, resolve));
  expect([clock.now(), clock.waits]).toEqual([3_600_005, [3_600_000]]);
});

test("a check is asked until it holds or the time is over", async () => {
  let asked = 0;
  const check = () => ++asked === 3;
  expect(await waitUntil(check, { timeoutMs: 10_000, intervalMs: 1 })).toBe(true);
  expect(await waitUntil(() => false, { timeoutMs: 0 })).toBe(false);
  await expect(until(() => false, "pigs fly", { timeoutMs: 0 })).rejects.toThrow("pigs fly");
});
