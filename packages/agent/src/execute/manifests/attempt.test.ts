import type { Clock } from "@fairlead/kernel";
import { createSkippingClock } from "@fairlead/kernel/testing";
import { kubeErrors } from "@fairlead/kube";
import { expect, test, vi } from "vitest";
import { executeErrors } from "../errors.ts";
import { act, read } from "./attempt.ts";

function openTask(): { clock: Clock; stop: AbortController; task: Parameters<typeof act>[0]; mayAct: () => number } {
  const stop = new AbortController();
  const clock = createSkippingClock();
  const mayAct = vi.fn(() => stop.signal.throwIfAborted());
  const task = { clock, signal: stop.signal, forced: new AbortController().signal, mayAct };
  return { clock, stop, task, mayAct: () => mayAct.mock.calls.length };
}

const busy = (seconds: number) =>
  kubeErrors.KUBE_TOO_MANY_REQUESTS({
    message: "busy",
    retryable: true,
    httpStatus: 429,
    cause: { kind: "Status", details: { retryAfterSeconds: seconds } },
  });

test("scenario 28: what sheds load is asked again after the time it wants, and each attempt asks whether it may act", async () => {
  const { clock, task, mayAct } = openTask();
  const startedAtMs = clock.now();
  const effect = vi.fn<() => Promise<string>>().mockRejectedValueOnce(busy(7)).mockResolvedValue("done");
  expect(await act(task, effect)).toBe("done");
  expect(clock.now() - startedAtMs).toBeGreaterThanOrEqual(7_000);
  expect(mayAct()).toBe(2);
});

test.each([
  ["a lost connection", kubeErrors.KUBE_UNREACHABLE({ server: "s", reason: "ECONNRESET" })],
  ["no answer in time", kubeErrors.KUBE_TIMEOUT({ server: "s", timeoutMs: 1 })],
  ["a server that starts", kubeErrors.KUBE_UNAVAILABLE({ message: "x", retryable: true, httpStatus: 503 })],
  ["a token that is over", kubeErrors.KUBE_UNAUTHORIZED({ message: "x" })],
])("scenario 28: %s passes, within bounds", async (_what, error) => {
  const { clock, task } = openTask();
  const once = vi.fn<() => Promise<number>>().mockRejectedValueOnce(error).mockRejectedValueOnce(error);
  expect(await read(task, once.mockResolvedValue(1))).toBe(1);
  const startedAtMs = clock.now();
  const never = vi.fn(() => Promise.reject(error));
  await expect(read(task, never)).rejects.toBe(error);
  expect(never.mock.calls.length).toBe(8);
  expect(clock.now() - startedAtMs).toBeLessThanOrEqual(90_000);
});

test("a server that wants to be left alone for longer than that is believed at once", async () => {
  const { task } = openTask();
  const effect = vi.fn(() => Promise.reject(busy(600)));
  await expect(act(task, effect)).rejects.toMatchObject({ code: "KUBE_TOO_MANY_REQUESTS" });
  expect(effect).toHaveBeenCalledTimes(1);
});

test("a refusal is final, and so is the loss of the lease", async () => {
  const { task } = openTask();
  for (const error of [kubeErrors.KUBE_FORBIDDEN({ message: "no" }), executeErrors.COMMAND_LEASE_LOST()]) {
    const effect = vi.fn(() => Promise.reject(error));
    await expect(act(task, effect)).rejects.toBe(error);
    expect(effect).toHaveBeenCalledTimes(1);
  }
});

test("nothing is sent after a cancel", async () => {
  const { task, stop } = openTask();
  stop.abort(executeErrors.COMMAND_CANCELLED());
  const effect = vi.fn(async () => 1);
  await expect(act(task, effect)).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
  await expect(read(task, effect)).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(effect).not.toHaveBeenCalled();
});
