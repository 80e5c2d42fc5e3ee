import { FairleadError } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test, vi } from "vitest";
import { createEnrollGate } from "./enroll-gate.ts";

const refuse = () =>
  Promise.reject(new FairleadError({ code: "ENROLL_TOKEN_UNKNOWN", message: "no", httpStatus: 401 }));

test("an address that failed often waits for the next minute, and nobody else does", async () => {
  const clock = createMovableClock(0);
  const gate = createEnrollGate({ clock, failuresPerMinute: 3 });
  for (let i = 0; i < 3; i++) {
    await expect(gate.pass("192.0.2.1", refuse)).rejects.toMatchObject({ code: "ENROLL_TOKEN_UNKNOWN" });
  }
  const attempt = vi.fn(async () => "in");
  const refused = gate.pass("192.0.2.1", attempt);
  await expect(refused).rejects.toMatchObject({ code: "ENROLL_TOO_MANY", httpStatus: 429, retryable: true });
  expect(attempt).not.toHaveBeenCalled();
  expect(await gate.pass("192.0.2.2", attempt)).toBe("in");
  for (const last of [1, 2, 3]) await gate.pass(`2001:db8::${last}`, refuse).catch(() => undefined);
  await expect(gate.pass("2001:db8::4", attempt)).rejects.toMatchObject({ code: "ENROLL_TOO_MANY" });
  expect(await gate.pass("2001:db8:0:1::1", attempt)).toBe("in");
  clock.move(60_000);
  expect(await gate.pass("192.0.2.1", attempt)).toBe("in");
});

test("success and the hub's own troubles don't count", async () => {
  const gate = createEnrollGate({ clock: createMovableClock(0), failuresPerMinute: 1 });
  await expect(gate.pass("192.0.2.1", () => Promise.reject(new Error("disk")))).rejects.toThrow("disk");
  for (let i = 0; i < 5; i++) expect(await gate.pass("192.0.2.1", async () => i)).toBe(i);
});

test("only so many run at once", async () => {
  const gate = createEnrollGate({ clock: createMovableClock(0), atOnce: 2 });
  const release: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => release.push(resolve));
  const first = [gate.pass("a", wait), gate.pass("b", wait)];
  await expect(gate.pass("c", wait)).rejects.toMatchObject({ code: "ENROLL_TOO_MANY" });
  for (const go of release) go();
  await Promise.all(first);
  expect(await gate.pass("c", async () => "in")).toBe("in");
});
