import type { Clock } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import type { AuditStore } from "./store.ts";

export interface Retention extends Disposable {
  /** Deletes nothing while the work is going on. */
  pauseFor<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets records go that are older than they have to be kept: a minute after the start, then every hour. */
export function keepRecords(options: {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionDays: number;
}): Retention {
  const { store, clock, log, retentionDays } = options;
  let paused = 0;
  let isStopped = false;
  let cancel = clock.after(firstDelayMs, () => void sweep());
  return {
    async pauseFor(work) {
      paused += 1;
      try {
        return await work();
      } finally {
        paused -= 1;
      }
    },
    [Symbol.dispose]() {
      isStopped = true;
      cancel();
    },
  };

  async function sweep(): Promise<void> {
    let isMore = false;
    try {
      if (paused === 0) isMore = await store.prune(new Date(clock.now() - retentionDays * dayMs));
    } catch (error) {
      log.warn({ err: error }, "old audit records can't be deleted");
    }
    if (!isStopped) cancel = clock.after(isMore ? moreDelayMs : hourMs, () => void sweep());
  }
}

const firstDelayMs = 60_000;
const moreDelayMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
