import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { createHubClock } from "./hub-clock.ts";

const hour = 3_600_000;

function open() {
  const clock = createMovableClock(1e12 + 5_000);
  const changes: number[] = [];
  const hubClock = createHubClock({ clock, onChanged: () => changes.push(hubClock.skewMs) });
  hubClock.welcomed(-200);
  return { clock, changes, hubClock };
}

test("setting this machine's clock by 25 hours changes nothing about the hub's time, and the hub is told", () => {
  const { clock, changes, hubClock } = open();
  clock.set(25 * hour);
  clock.move(7_000);
  expect(hubClock.skewMs).toBe(-25 * hour - 200);
  hubClock.pinged(1e12 + 12_500 - 700);
  expect(changes).toEqual([-25 * hour - 200]);
  hubClock.pinged(1e12 + 12_500);
  expect(changes).toHaveLength(1);
});

test("setting the hub's clock is noticed with its next ping, and pings of a slow way aren't", async () => {
  const { clock, changes, hubClock } = open();
  clock.move(10_000);
  hubClock.pinged(1e12 + 15_000 - 2_000);
  expect([hubClock.skewMs, changes]).toEqual([-200, []]);
  const said = hubClock.untilSaid(new AbortController().signal);
  hubClock.pinged(1e12 + 15_000 + 25 * hour);
  await said;
  expect(hubClock.skewMs).toBe(25 * hour);
  expect(changes).toEqual([25 * hour]);
});

test("a hub that says no time with its pings isn't waited for longer than they take", async () => {
  const { clock, hubClock } = open();
  const said = hubClock.untilSaid(new AbortController().signal);
  clock.move(12_000);
  await said;
  expect(hubClock.skewMs).toBe(-200);
});
