import { expect, it } from "vitest";
import { FakeClock } from "./fake-clock.fixture.ts";
import { FrameWriter } from "./frame-writer.ts";
import { Liveness } from "./liveness.ts";

it("learns how long the way is also where it is longer than the time between two measurements", () => {
  const clock = new FakeClock();
  const tokens: Buffer[] = [];
  const writer = new FrameWriter({
    send: (head, headBytes) => void tokens.push(Buffer.from(head.subarray(headBytes - 8, headBytes))),
    bufferedBytes: 0,
    requestFlush() {},
    close() {},
    terminate() {},
  });
  const liveness = new Liveness({ clock, writer, pingMs: 10_000, deadMs: 25_000, isOwed: () => false, onDead() {} });
  liveness.restart();
  for (let passedMs = 0; passedMs < 5_000; passedMs += 100) {
    clock.advance(100);
    liveness.heard();
    liveness.freshRttMs();
    for (const token of tokens.splice(0)) clock.after(1_500, () => liveness.pong(token));
  }
  expect(liveness.freshRttMs()).toBeGreaterThanOrEqual(1_500);
  expect(liveness.freshRttMs()).toBeLessThan(1_700);
  liveness.stop(undefined);
  clock.advance(1_500);
  expect(clock.pendingTimers).toBe(0);
});
