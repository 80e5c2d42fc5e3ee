import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { FrameWriter } from "../wire/index.ts";
import { Liveness } from "./liveness.ts";

it("learns how long the way is also where it is longer than the time between two measurements", () => {
  const clock = createMovableClock(1_000_000);
  const tokens: Buffer[] = [];
  const writer = new FrameWriter({
    send: (head, headBytes) => void tokens.push(Buffer.from(head.subarray(headBytes - 8, headBytes))),
  });
  const liveness = new Liveness({ clock, writer, pingMs: 10_000, deadMs: 25_000, isOwed: () => false, onDead() {} });
  liveness.restart();
  for (let passedMs = 0; passedMs < 5_000; passedMs += 100) {
    clock.move(100);
    liveness.heard();
    liveness.freshRttMs();
    for (const token of tokens.splice(0)) clock.after(1_500, () => liveness.pong(token));
  }
  expect(liveness.freshRttMs()).toBeGreaterThanOrEqual(1_500);
  expect(liveness.freshRttMs()).toBeLessThan(1_700);
  liveness.stop(undefined);
  clock.move(1_500);
  expect(clock.pendingCount).toBe(0);
});
