import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { startHeartbeat } from "./index.ts";

it("fails with the newest check, and forgives with the next", async () => {
  const clock = createMovableClock(0);
  let answer = (): Promise<void> => Promise.reject(new Error("gone"));
  using heartbeat = startHeartbeat({ check: () => answer(), answered: () => 0, clock });
  heartbeat.judge();
  await settle();
  expect(() => heartbeat.judge()).toThrow("gone");
  answer = () => Promise.resolve();
  clock.move(2_000);
  await settle();
  heartbeat.judge();
});

it("waits for a check as long as others are answered, and half a minute when nobody is", async () => {
  const clock = createMovableClock(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  let checks = 0;
  let answered = 0;
  const check = (): Promise<void> => {
    checks += 1;
    return promise;
  };
  using heartbeat = startHeartbeat({ check, answered: () => answered, clock });
  for (let beats = 0; beats < 60; beats++) {
    answered += 1;
    clock.move(2_000);
    heartbeat.judge();
  }
  for (let beats = 0; beats < 14; beats++) clock.move(2_000);
  heartbeat.judge();
  clock.move(2_000);
  expect(() => heartbeat.judge()).toThrow("hasn't responded for 30 seconds");
  expect(checks).toBe(1);
  resolve();
  await settle();
  heartbeat.judge();
});

it("ends with what it belongs to", () => {
  const clock = createMovableClock(0);
  let checks = 0;
  const check = async (): Promise<void> => {
    checks += 1;
  };
  startHeartbeat({ check, answered: () => 0, clock })[Symbol.dispose]();
  clock.move(10_000);
  expect(checks).toBe(1);
});

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
