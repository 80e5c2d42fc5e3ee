// Work beside the agents' calls: keeps ages over a restart, deletes tombstones and what is left of removed clusters, and
// refreshes the database's statistics.
import type { Clock } from "@fairlead/kernel";
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

export function startUpkeep(options: {
  readonly clusters: CopyStore;
  readonly objects: ObjectStore;
  readonly writer: Writer;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly log: Logger;
}): Upkeep {
  const { clusters, objects, writer, freshness, clock, log } = options;
  const stop = new AbortController();
  const keptMs = new Map<string, number>();
  let changedRows = 0;
  let lastPurgeMs = clock.now();
  let running: Promise<void> = Promise.resolve();
  let cancel = clock.after(everyMs, tick);

  return {
    sweep: () => attempt("delete what is left of removed clusters", sweep),
    count(changes) {
      changedRows += changes;
    },
    async [Symbol.asyncDispose]() {
      cancel();
      stop.abort();
      await running;
      await attempt("keep the ages of kinds", keepAges);
    },
  };

  function tick(): void {
    running = run().finally(() => {
      if (!stop.signal.aborted) cancel = clock.after(everyMs, tick);
    });
  }

  async function run(): Promise<void> {
    await attempt("keep the ages of kinds", keepAges);
    if (clock.now() - lastPurgeMs >= purgeEveryMs) {
      lastPurgeMs = clock.now();
      await attempt("purge deleted objects", purge);
      await attempt("delete what is left of removed clusters", sweep);
    }
    if (changedRows >= Math.max(tidyAfterRows, tidyAfterShare * countObjects())) {
      changedRows = 0;
      await attempt("tidy up", () => writer.run(() => objects.tidy(), stop.signal));
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

  async function purge(): Promise<void> {
    const deletedBefore = new Date(clock.now() - retentionMs);
    while ((await writer.run(() => objects.purge(deletedBefore), stop.signal)) > 0);
  }

  async function sweep(): Promise<void> {
    while ((await writer.run(() => objects.sweep(), stop.signal)) > 0);
  }

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isOver = stop.signal.aborted || storeErrors.is(error, "STORE_HANDED_OVER");
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
