import { createMovableClock } from "@fairlead/kernel/testing";
import { Cancellation } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import { HeldCommand } from "./held-command.ts";

function hold(): { clock: ReturnType<typeof createMovableClock>; held: HeldCommand } {
  const clock = createMovableClock(1_000);
  return {
    clock,
    held: new HeldCommand({ id: "cmd_1", epoch: 1n, fromMs: 0, leaseMs: 30_000, clock }),
  };
}

test("scenario 7: a lease ends two seconds early, by a clock of its own, and is measured from before it was asked for", () => {
  const { clock, held } = hold();
  clock.move(27_999);
  held.lease.check();
  held.lease.extend(19_000, 30_000);
  clock.move(19_000);
  held.lease.check();
  clock.move(1_001);
  expect(() => held.lease.check()).toThrow(expect.objectContaining({ code: "COMMAND_LEASE_LOST" }));
  expect(held.signal.reason).toMatchObject({ code: "COMMAND_LEASE_LOST" });
  expect(held.forced.aborted).toBe(true);
});

test("a hub that gives a lease for weeks gives five minutes, with the claim and with each renewal", () => {
  const clock = createMovableClock(1_000);
  const held = new HeldCommand({ id: "cmd_1", epoch: 1n, fromMs: 0, leaseMs: 2 ** 32 - 1, clock });
  clock.move(290_000);
  held.lease.check();
  held.lease.extend(290_000, 2 ** 32 - 1);
  clock.move(290_000);
  held.lease.check();
  clock.move(10_000);
  expect(() => held.lease.check()).toThrow(expect.objectContaining({ code: "COMMAND_LEASE_LOST" }));
});

test("a command whose lease is renewed for ever is cancelled at the agent's own limit, then forced, then left", () => {
  const clock = createMovableClock(0);
  const onLimit = vi.fn();
  const limit = { limitMs: 3_600_000, onLimit };
  const held = new HeldCommand({ id: "cmd_1", epoch: 1n, fromMs: 0, leaseMs: 60_000, clock, ...limit });
  const run = (ms: number): void => {
    for (let passedMs = 0; passedMs < ms; passedMs += 30_000) {
      held.lease.extend(clock.steadyMs(), 60_000);
      clock.move(30_000);
    }
  };
  run(3_570_000);
  expect(held.signal.aborted).toBe(false);
  run(60_000);
  expect(onLimit).toHaveBeenCalledOnce();
  expect(held.signal.reason).toMatchObject({ code: "COMMAND_CANCELLED" });
  expect([held.forced.aborted, held.lease.signal.aborted]).toEqual([false, false]);
  run(300_000);
  expect([held.forced.aborted, held.lease.signal.aborted]).toEqual([true, false]);
  run(300_000);
  expect(held.lease.signal.reason).toMatchObject({ code: "COMMAND_LEASE_LOST" });
});

test.each([25, -25])("scenario 7: a clock that is set by %i hours does nothing to a lease", (hours) => {
  const { clock, held } = hold();
  clock.set(hours * 3_600_000);
  clock.move(27_999);
  held.lease.check();
  clock.move(1);
  expect(held.signal.reason).toMatchObject({ code: "COMMAND_LEASE_LOST" });
});

test("a process that stood still notices before its timers do, and what is lost stays lost", () => {
  const { clock, held } = hold();
  const standing = { ...clock, after: () => () => undefined };
  const asleep = new HeldCommand({ id: "cmd_2", epoch: 1n, fromMs: 0, leaseMs: 30_000, clock: standing });
  clock.jump(60_000);
  expect(() => asleep.lease.check()).toThrow(expect.objectContaining({ code: "COMMAND_LEASE_LOST" }));
  held.lease.extend(60_000, 30_000);
  expect(() => held.lease.check()).toThrow(expect.objectContaining({ code: "COMMAND_LEASE_LOST" }));
});

test("a cancel is graceful first and forced when it is asked for again; a stop of the agent says so", () => {
  const { held } = hold();
  held.heed(Cancellation.UNSPECIFIED);
  expect(held.signal.aborted).toBe(false);
  held.heed(Cancellation.GRACEFUL);
  expect(held.signal.reason).toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(held.forced.aborted).toBe(false);
  held.heed(Cancellation.FORCED);
  expect(held.forced.aborted).toBe(true);
  const stopped = hold().held;
  stopped.stop("graceful");
  expect(stopped.signal.reason).toMatchObject({ code: "COMMAND_AGENT_STOPS" });
  expect(stopped.forced.aborted).toBe(false);
});
