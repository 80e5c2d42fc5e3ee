// Waits for leases that others have: one question a second for all of them, and at once when a hub says that one is free.
import { type Clock, orAbort } from "@fairlead/kernel";
import type { Bus } from "../bus/index.ts";
import { createLooks } from "../changes/index.ts";
import type { LeaseStore } from "./store.ts";

export interface LeaseSeeker extends Disposable {
  /** Resolves when nobody seems to hold it; rejects with the signal's reason. */
  untilFree(name: string, signal: AbortSignal): Promise<void>;
}

export function createLeaseSeeker(options: {
  readonly store: LeaseStore;
  readonly bus: Bus;
  readonly clock: Clock;
}): LeaseSeeker {
  const { store, bus, clock } = options;
  const waiters = new Set<{ readonly name: string; readonly resolve: () => void }>();
  const looks = createLooks({ clock, everyMs: lookMs, look });
  const hearing = bus.onHint((hint) => {
    const isMine = hint.kind === "everything" || hint.topic === leaseTopic;
    if (isMine && waiters.size > 0) looks.within(hintPauseMs);
  });

  return {
    async untilFree(name, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { name, resolve };
      waiters.add(waiter);
      looks.within(lookMs);
      await orAbort(promise, signal).finally(() => waiters.delete(waiter));
    },
    [Symbol.dispose]() {
      hearing[Symbol.dispose]();
      looks[Symbol.dispose]();
    },
  };

  async function look(): Promise<boolean> {
    if (waiters.size === 0) return true;
    try {
      const free = await store.listFree([...new Set([...waiters].map(({ name }) => name))]);
      for (const { name, resolve } of waiters) if (free.includes(name)) resolve();
      return true;
    } catch {
      return false; // the next one is soon, and that the store is away is said elsewhere
    }
  }
}

/** For hints that a lease is free; its name is the detail. */
export const leaseTopic = "leases";
const lookMs = 1_000;
const hintPauseMs = 25;
