import { expect, test, vi } from "vitest";
import { sleep, systemClock } from "./clock.ts";

test("a wait ends with the reason of its signal as soon as that aborts", async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(sleep(1, { signal: controller.signal })).rejects.toThrow("enough");
});

test("a wait longer than a timer can hold does not fire early, and can be cancelled in any hop", () => {
  vi.useFakeTimers();
  try {
    const sixtyDaysMs = 60 * 24 * 3600 * 1000;
    const fired = vi.fn();
    systemClock.after(sixtyDaysMs, fired);
    const cancelled = vi.fn();
    const cancel = systemClock.after(sixtyDaysMs, cancelled);
    vi.advanceTimersByTime(sixtyDaysMs - 1);
    expect(fired).not.toHaveBeenCalled();
    cancel();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
