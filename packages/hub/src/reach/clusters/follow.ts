// Keeps the clusters in memory like those in the database, whichever of several hubs changes them. A hub tells the
// others at once of changes on which rights depend. The rest (versions, times, alarms) is told soon and for many
// clusters together: when a thousand agents come back at once, the others read once a second. When clusters were last
// seen is written each minute for each that is connected, and asked only for those that aren't.
import { type Clock, createTurns } from "@fairlead/kernel";
import type { AlarmCounts } from "./alarm-counts.ts";
import type { ChangedStore, ClusterCursor } from "./changed-store.ts";
import type { ClusterRows } from "./rows.ts";
import type { ClusterChanges } from "./types.ts";

export interface ClusterFollower extends AsyncDisposable {
  reread(): Promise<void>;
  /** When those were last seen that aren't connected: the hub that held their links may have been killed. */
  rereadTimes(names: readonly string[]): Promise<void>;
  /** Lets the other hubs read, before long. */
  tellSoon(): void;
}

export async function followClusters(options: {
  readonly rows: ClusterRows;
  readonly store: ChangedStore;
  readonly alarmCounts: AlarmCounts;
  readonly changes: ClusterChanges | undefined;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): Promise<ClusterFollower> {
  const { rows, store, alarmCounts, changes, clock, onError } = options;
  const inTurn = createTurns();
  let cursor: ClusterCursor | undefined;
  let era = changes?.era;
  let cancelTelling: (() => void) | undefined;
  let telling: Promise<void> | undefined;
  await readChanged();
  const following = changes?.follow("clusters", reread);

  return {
    reread,
    async rereadTimes(names) {
      if (names.length === 0) return;
      const seen = await store.lastSeen(names, new Date(clock.now() - seenLatelyMs));
      for (const row of seen) rows.seen(row.name, { seen: row.last_seen_at, lost: row.last_lost_at });
    },
    tellSoon() {
      if (changes) cancelTelling ??= clock.after(tellAfterMs, tell);
    },
    async [Symbol.asyncDispose]() {
      if (cancelTelling) tell();
      await telling;
      await following?.[Symbol.asyncDispose]();
    },
  };

  function reread(): Promise<void> {
    return inTurn(readChanged);
  }

  async function readChanged(): Promise<void> {
    const before = rows.all();
    const begunEra = changes?.era;
    const changed = await store.read(begunEra === era ? cursor : undefined);
    era = begunEra;
    for (const { name, incarnation } of changed.removed) rows.forget({ name, incarnation });
    for (const row of changed.rows) rows.take(row);
    if (changed.isWhole) {
      const there = new Set(changed.rows.map(({ incarnation }) => incarnation));
      for (const row of before) if (!there.has(row.incarnation)) rows.forget(row);
    }
    // At the beginning all were counted.
    if (cursor) await alarmCounts.count(changed.rows.map(({ name }) => name));
    ({ cursor } = changed);
  }

  function tell(): void {
    cancelTelling?.();
    cancelTelling = undefined;
    telling = changes?.commit("clusters", async () => undefined).catch(onError);
  }
}

const tellAfterMs = 500;
/** Longer than a minute by as much as the clocks of hubs may differ. */
const seenLatelyMs = 10 * 60_000;
