import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import type { Cable } from "@fairlead/testkit";

/**
 * Cuts the cable in the middle of what goes over it: after so many more bytes, or when nothing more came for a while.
 * Heals it after the time.
 */
export async function cutAfter(
  cable: Cable,
  options: {
    readonly how: "cut" | "blackhole";
    readonly afterBytes: number;
    readonly forMs: number;
    /** From the agent unless told. */
    readonly direction?: "up" | "down";
  },
): Promise<void> {
  const { how, afterBytes, forMs, direction = "up" } = options;
  const from = cable.bytes[direction];
  const hasPassed = () => cable.bytes[direction] - from >= afterBytes;
  await waitUntil(hasPassed, { timeoutMs: longestWaitMs, intervalMs: 1 });
  cable[how]();
  await delay(forMs);
  cable.heal();
}

const longestWaitMs = 3_000;
