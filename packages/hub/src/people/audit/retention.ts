// Keeps the store small: records that are old enough go, and the many small blocks of quiet times become few. A single
// one of several hubs does it for all chains, those of hubs that are gone included. Two at once do no harm, as when a
// stopped hub goes on: each statement deletes or replaces rows that are there, or none.
import { type Clock, repeat } from "@fairlead/kernel";
import type { Leases } from "../../platform/leases/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { type Compaction, createCompaction } from "./compaction.ts";
import type { AuditStore, ChainState } from "./store.ts";
import type { NamedHead } from "./types.ts";

export interface Retention extends AsyncDisposable {
  /** Deletes and moves nothing while the work is going on. */
  pauseFor<T>(work: () => Promise<T>): Promise<T>;
}

/** Begins a minute after the start. */
export function keepRecords(options: {
  readonly store: AuditStore;
  readonly chain: string;
  /** Undefined: nobody else does it. */
  readonly leases?: Pick<Leases, "take"> | undefined;
  /** Resolves with true when it is on record that these chains are forgotten. */
  readonly tellGone: (heads: readonly NamedHead[]) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionMs: number;
}): Retention {
  const { store, chain: own, leases, tellGone, clock, log, retentionMs } = options;
  const compactions = new Map<string, Compaction>();
  let paused = 0;
  let prunedAt = Number.NEGATIVE_INFINITY;
  const sweeping = repeat({
    clock,
    intervalMs: everyMs,
    run: sweepAlone,
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

  async function sweepAlone(signal: AbortSignal): Promise<void> {
    if (!leases) return await sweep(() => paused > 0 || signal.aborted);
    await using lease = await leases.take("audit-upkeep");
    if (lease) await sweep(() => paused > 0 || signal.aborted || !lease.isHeld);
  }

  async function sweep(mustStop: () => boolean): Promise<void> {
    const now = clock.now();
    const before = new Date(now - retentionMs);
    const chains = await store.readChains();
    if (now - prunedAt >= hourMs) {
      for (const { chain } of chains.filter(hasRecords)) {
        while (!mustStop() && (await store.chain(chain).prune(before)) > 0);
      }
      if (!mustStop()) await forgetEmpty(before);
      if (!mustStop()) prunedAt = now;
    }
    for (const state of chains.filter(hasRecords)) {
      const { chain, lastAt = now } = state;
      // At its end nothing can be left to do after a while.
      if (compactions.has(chain) && now - lastAt > restedMs) continue;
      const compaction = compactions.get(chain) ?? createCompaction(store.chain(chain));
      while (!mustStop() && (await compaction.step(now)) > 0);
      if (!mustStop()) compactions.set(chain, compaction);
    }
  }

  async function forgetEmpty(before: Date): Promise<void> {
    const gone = (await store.readChains()).filter(
      ({ chain, head, anchor, lastAt }) =>
        chain !== own && head.seq === anchor.seq && lastAt !== undefined && lastAt < before.getTime(),
    );
    const known = gone.filter(({ actSeq }) => actSeq > 0);
    if (!(await tellGone(known.map(({ chain, head }) => ({ chain, ...head, gone: true }))))) return;
    for (const { chain, head } of gone) {
      await store.forget(chain, head, before);
      compactions.delete(chain);
    }
  }
}

function hasRecords({ head, anchor }: ChainState): boolean {
  return head.seq > anchor.seq;
}

const everyMs = 60_000;
const hourMs = 3_600_000;
const restedMs = 5 * 60_000;
