import { sleep } from "@fairlead/kernel";

/** The kernel's sleep doesn't keep the process alive; this wait does. Rejects as soon as the signal aborts. */
export async function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  const hold = setInterval(() => undefined, 1_000);
  try {
    await sleep(delayMs, signal ? { signal } : {});
  } finally {
    clearInterval(hold);
  }
}
