import { createMovableClock } from "@fairlead/kernel/testing";
import { Cancellation } from "@fairlead/protocol";
import { expect, test } from "vitest";
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
