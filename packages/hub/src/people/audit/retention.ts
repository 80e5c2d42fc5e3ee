// Keeps the store small: records that are old enough go, and the many small blocks of quiet times become few.
import { type Clock, repeat } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import { createCompaction } from "./compaction.ts";
import type { AuditStore } from "./store.ts";

export interface Retention extends AsyncDisposable {
  /** Deletes and moves nothing while the work is going on. */
  pauseFor<T>(work: () => Promise<T>): Promise<T>;
}

/** Begins a minute after the start. */
export function keepRecords(options: {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionDays: number;
}): Retention {
  const { store, clock, log, retentionDays } = options;
  const compaction = createCompaction(store);
  let paused = 0;
  let prunedAt = Number.NEGATIVE_INFINITY;
  const sweeping = repeat({
    ...{ clock, intervalMs: everyMs, run: sweep },
    onError: (error) => log.warn({ err: error }, "audit records can't be tidied up"),
  });
  return {
    async pauseFor(work) {
      paused += 1;
      try {
        await sweeping.settled();
        return await work();
      } finally {
        paused -= 1;
      }
    },
    [Symbol.asyncDispose]: () => sweeping[Symbol.asyncDispose](),
  };

  async function sweep(signal: AbortSignal): Promise<void> {
    const mustStop = (): boolean => paused > 0 || signal.aborted;
    const now = clock.now();
    if (now - prunedAt >= hourMs) {
      const before = new Date(now - retentionDays * dayMs);
      for (let isMore = true; isMore && !mustStop(); ) {
        const deleted = await store.prune(before);
        isMore = deleted > 0;
        if (!isMore) prunedAt = now;
      }
    }
    while (!mustStop() && (await compaction.step(now)) > 0);
  }
}

const everyMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
