// What keeps the store small: records that are old enough go, and the many small blocks of quiet times become few.
import type { Clock } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
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
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let prunedAt = Number.NEGATIVE_INFINITY;
  let freed = 0;
  let cancel = clock.after(everyMs, begin);
  return {
    async pauseFor(work) {
      paused += 1;
      try {
        await running;
        return await work();
      } finally {
        paused -= 1;
      }
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      cancel();
      await running;
    },
  };

  function begin(): void {
    running = sweep()
      .catch((error: unknown) => log.warn({ err: error }, "audit records can't be tidied up"))
      .then(() => {
        if (!isStopped) cancel = clock.after(everyMs, begin);
      });
  }

  async function sweep(): Promise<void> {
    const now = clock.now();
    if (now - prunedAt >= hourMs) {
      const before = new Date(now - retentionDays * dayMs);
      for (let isMore = true; isMore && !mustStop(); ) {
        const deleted = await store.prune(before);
        freed += deleted;
        isMore = deleted > 0;
        if (!isMore) prunedAt = now;
      }
    }
    for (let merged = 1; merged > 0 && !mustStop(); freed += merged) merged = await compaction.step(now);
    // PGlite has nobody else to do it.
    if (freed < vacuumedRows || mustStop()) return;
    await store.vacuum();
    freed = 0;
  }

  function mustStop(): boolean {
    return paused > 0 || isStopped;
  }
}

const everyMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const vacuumedRows = 2_000;
