// Work beside the agents' calls: keeps ages over a restart, deletes tombstones and what is left of removed clusters, and
// refreshes the database's statistics. Where several hubs share the database one of them does it, and reports keep the ages.
import { type Clock, type Repetition, repeat, untilAbort } from "@fairlead/kernel";
import { storeErrors } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { CopyStore } from "./copy-store.ts";
import type { Freshness } from "./freshness.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Writer } from "./writer.ts";

export interface Upkeep extends AsyncDisposable {
  /** Deletes what is left of clusters that are gone. Never rejects. */
  sweep(): Promise<void>;
  /** Rows were changed: that many. */
  count(changes: number): void;
}

export interface UpkeepLeases {
  hold(
    name: string,
    options: { readonly work: (lease: { readonly signal: AbortSignal; readonly isHeld: boolean }) => Promise<void> },
  ): AsyncDisposable;
}

export function startUpkeep(options: {
  readonly clusters: CopyStore;
  readonly objects: ObjectStore;
  readonly writer: Writer;
  readonly freshness: Freshness;
  /** Where several hubs share the database. */
  readonly leases: UpkeepLeases | undefined;
  readonly clock: Clock;
  /** By the clock of what is stored. */
  readonly nowStoredMs: () => number;
  readonly log: Logger;
}): Upkeep {
  const { clusters, objects, writer, freshness, leases, clock, nowStoredMs, log } = options;
  const stop = new AbortController();
  const keptMs = new Map<string, number>();
  let changedRows = 0;
  let lastPurgeMs = clock.now();
  const running = leases ? leases.hold("inventory-upkeep", { work: runWhileHeld }) : repeating(stop.signal);

  return {
    sweep: () => attempt("delete what is left of removed clusters", sweep),
    count(changes) {
      changedRows += changes;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running[Symbol.asyncDispose]();
      if (!leases) await attempt("keep the ages of kinds", keepAges);
    },
  };

  /** Two at once would do no harm, but the same twice. */
  async function runWhileHeld({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    await using _repeating = repeating(signal);
    await untilAbort(signal);
  }

  function repeating(signal: AbortSignal): Repetition {
    return repeat({ clock, intervalMs: everyMs, run: () => run(signal), onError: (error) => log.warn({ err: error }) });
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (!leases) await attempt("keep the ages of kinds", keepAges);
    if (signal.aborted) return;
    if (clock.now() - lastPurgeMs >= purgeEveryMs) {
      lastPurgeMs = clock.now();
      await attempt("purge deleted objects", () => purge(signal), signal);
      await attempt("delete what is left of removed clusters", sweep);
    }
    if (changedRows >= Math.max(tidyAfterRows, tidyAfterShare * countObjects())) {
      changedRows = 0;
      await attempt("tidy up", () => writer.run(() => objects.tidy(), { signal }), signal);
    }
  }

  function countObjects(): number {
    const kinds = freshness.list().flatMap(([, record]) => [...record.kinds.values()]);
    return kinds.reduce((sum, { objects }) => sum + objects, 0);
  }

  /** Only those that are worth a write. */
  async function keepAges(): Promise<void> {
    const rows: { cluster: string; kind: string; verifiedMs: number }[] = [];
    for (const [cluster, { kinds }] of freshness.list()) {
      for (const { row } of kinds.values()) {
        const key = `${cluster}/${row.kind}`;
        if (row.verifiedMs === undefined || keptMs.get(key) === row.verifiedMs) continue;
        rows.push({ cluster, kind: row.kind, verifiedMs: row.verifiedMs });
        keptMs.set(key, row.verifiedMs);
      }
    }
    await clusters.putVerified(rows);
  }

  async function purge(signal: AbortSignal): Promise<void> {
    const deletedBefore = new Date(nowStoredMs() - retentionMs);
    while ((await writer.run(() => objects.purge(deletedBefore), { signal })) > 0);
  }

  async function sweep(): Promise<void> {
    while ((await writer.run(() => objects.sweep(), { signal: stop.signal })) > 0);
  }

  async function attempt(what: string, work: () => Promise<void>, signal = stop.signal): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isOver = stop.signal.aborted || signal.aborted || storeErrors.is(error, "STORE_HANDED_OVER");
      if (!isOver) log.warn({ err: error }, `the inventory can't ${what}`);
    }
  }
}

const everyMs = 30_000;
const purgeEveryMs = 10 * 60_000;
/** So that "what changed" can name what is gone. */
const retentionMs = 24 * 3_600_000;
/** Nothing else is stored meanwhile. */
const tidyAfterRows = 20_000;
const tidyAfterShare = 0.2;
