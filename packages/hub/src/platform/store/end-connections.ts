import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";

/** Waits for statements under way, but not for good: the end of the server or of the process cuts the rest. */
export async function endConnections(
  connections: Connections,
  end: () => Promise<void> = () => connections.close(),
): Promise<void> {
  const timer = new AbortController();
  await Promise.race([end(), sleep(closeMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

const closeMs = 5_000;
