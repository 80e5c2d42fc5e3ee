import { expect, test } from "vitest";
import { Schedule } from "./schedule.ts";

function rested(): Schedule {
  const schedule = new Schedule(0);
  schedule.begin();
  schedule.end({ nowMs: 0, tookMs: 1 });
  return schedule;
}

test("a hundred changes within a moment are examined once, soon after the first", () => {
  const schedule = rested();
  for (let nowMs = 2_000; nowMs < 2_200; nowMs += 2) schedule.changed("soon", nowMs);
  expect(schedule.dueInMs(2_200)).toBe(100);
  expect(schedule.waitingMs(2_200)).toBe(200);
  schedule.begin();
  schedule.end({ nowMs: 2_310, tookMs: 10 });
  expect(schedule.dueInMs(2_310)).toBe(20_000);
});

test("changes of pods wait for others, and not for ever", () => {
  const schedule = rested();
  schedule.changed("later", 2_000);
  expect(schedule.dueInMs(2_000)).toBe(15_000);
  schedule.changed("soon", 3_000);
  expect(schedule.dueInMs(3_000)).toBe(300);
});

test("an examination that takes a second is followed by nineteen of rest, whatever changes", () => {
  const schedule = rested();
  schedule.changed("soon", 2_000);
  schedule.begin();
  schedule.changed("soon", 2_500);
  schedule.end({ nowMs: 3_000, tookMs: 1_000 });
  expect(schedule.dueInMs(3_000)).toBe(19_000);
});

test("without any change it looks again every twenty seconds", () => {
  expect(rested().dueInMs(0)).toBe(20_000);
});
