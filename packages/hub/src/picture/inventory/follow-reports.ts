// Keeps the records of clusters in step whose agents report to other hubs.
import { type Clock, createTurns } from "@fairlead/kernel";
import type { Changes } from "../../platform/changes/index.ts";
import type { CopyStore, KindRow } from "./copy-store.ts";
import type { ClusterRecord, Freshness } from "./freshness.ts";
import { markNames, namesOf } from "./kinds-mark.ts";
import type { KindOfCluster, ObjectStore } from "./object-store.ts";
import type { ReportStore, StoredReport } from "./report-store.ts";

export interface ReportFollower extends AsyncDisposable {
  /** Looks now whose reports are news. */
  read(): Promise<void>;
  /** Everything from the beginning: the database isn't where it was. */
  readAgain(): Promise<void>;
  /** Reads what the store has of the cluster's kinds. */
  adopt(clusters: readonly string[]): Promise<void>;
  /** Reads the numbers of objects. */
  count(kinds: readonly KindOfCluster[]): Promise<void>;
}

export async function followReports(options: {
  readonly store: Pick<ReportStore, "listSince">;
  readonly copies: Pick<CopyStore, "loadKinds">;
  readonly objects: Pick<ObjectStore, "countObjects">;
  readonly changes: Pick<Changes, "follow">;
  readonly freshness: Freshness;
  /** The fence of the cluster's newest report at this hub; undefined when that report ended and others were told. */
  readonly ownFence: (cluster: string) => number | undefined;
  /** Another hub has it now. */
  readonly onTakenOver: (cluster: string) => void;
  readonly clock: Clock;
}): Promise<ReportFollower> {
  const { store, copies, objects, changes, freshness, ownFence, onTakenOver, clock } = options;
  /** The mark of each cluster's kinds when they were last read. */
  const marks = new Map<string, string>();
  let seen = 0;
  const inTurn = createTurns();
  const read = (): Promise<void> => inTurn(readNews);
  await read();
  const following = changes.follow("inventory-reports", read);
  return {
    read,
    readAgain: () =>
      inTurn(async () => {
        seen = 0;
        marks.clear();
        await readNews();
      }),
    adopt,
    count,
    [Symbol.asyncDispose]: () => following[Symbol.asyncDispose](),
  };

  async function readNews(): Promise<void> {
    const { reports, counter } = await store.listSince(seen);
    // The database was put back to an older state.
    const isBack = counter < seen;
    const news = (isBack ? (await store.listSince(0)).reports : reports).filter(isOthers);
    const changed = news.filter(({ cluster, kindsMark }) => marks.get(cluster) !== kindsMark);
    const fences = new Map(changed.map(({ cluster, fence }) => [cluster, fence]));
    await adopt([...fences.keys()], (cluster) => (ownFence(cluster) ?? 0) < (fences.get(cluster) ?? 0));
    // It may have begun here meanwhile.
    for (const report of news.filter(isOthers)) take(report, changed.includes(report));
    seen = counter;
  }

  function isOthers({ cluster, fence }: StoredReport): boolean {
    const own = ownFence(cluster);
    if (own !== undefined && own < fence) onTakenOver(cluster);
    return own === undefined || own < fence;
  }

  function take(report: StoredReport, isChanged: boolean): void {
    const { cluster, kindsMark, kubeSystemUid, leaseEpoch, startedMs, heardMs, end } = report;
    const { pendingChanges, oldestPendingMs } = report;
    const record = freshness.need(cluster);
    const before = record.session;
    marks.set(cluster, kindsMark);
    record.row = { cluster, kubeSystemUid, leaseEpoch };
    record.session = end ? undefined : { startedMs, heardMs, pendingChanges, oldestPendingMs };
    if (end) {
      record.endedMs = end.atMs;
      record.endReason = end.reason;
    }
    const isNews = takeAges(record, report, clock.now());
    if (isNews || isChanged || (before === undefined) !== (record.session === undefined)) freshness.changed(cluster);
  }

  /** A report that begins here meanwhile knows better. */
  async function adopt(
    clusters: readonly string[],
    isWanted: (cluster: string) => boolean = () => true,
  ): Promise<void> {
    if (clusters.length === 0) return;
    const rows = Map.groupBy(await copies.loadKinds(clusters), ({ cluster }) => cluster);
    const fresh: KindOfCluster[] = [];
    for (const cluster of clusters.filter(isWanted)) {
      const { kinds } = freshness.need(cluster);
      const own = rows.get(cluster) ?? [];
      const names = new Set(own.map(({ kind }) => kind));
      for (const name of kinds.keys()) if (!names.has(name)) kinds.delete(name);
      for (const row of own) {
        const known = kinds.get(row.kind);
        if (known) known.row = keepNewest(row, known.row);
        else kinds.set(row.kind, { row, objects: 0 });
        if (!known) fresh.push({ cluster, kind: row.kind });
      }
    }
    await count(fresh);
  }

  async function count(kinds: readonly KindOfCluster[]): Promise<void> {
    if (kinds.length === 0) return;
    const counts = await objects.countObjects(kinds);
    for (const { cluster, kind, objects: number } of counts) {
      const known = freshness.of(cluster)?.kinds.get(kind);
      if (known) known.objects = number;
    }
  }
}

/** The store's age of a kind is written when something else of it is. */
function keepNewest(row: KindRow, known: KindRow): KindRow {
  const verifiedMs = Math.max(row.verifiedMs ?? 0, known.verifiedMs ?? 0);
  // The same columns are the same value, by which it is found how a kind is shown.
  const isAlike = JSON.stringify(row.printerColumns) === JSON.stringify(known.printerColumns);
  const columns = isAlike && known.printerColumns !== undefined ? { printerColumns: known.printerColumns } : {};
  return { ...row, ...columns, verifiedMs: verifiedMs === 0 ? undefined : verifiedMs };
}

/** True when a kind can't be kept whole any more, or can again. */
function takeAges(record: ClusterRecord, report: StoredReport, nowMs: number): boolean {
  const { heardMs, ages, kindsMark, refusals = {} } = report;
  const names = namesOf(record);
  let isNews = false;
  // Its kinds are others by now, or aren't yet: the next news comes within seconds.
  const isSame = kindsMark.endsWith(`.${markNames(names)}`) && ages.length === names.length;
  for (const [at, name] of names.entries()) {
    const known = record.kinds.get(name);
    if (!known) continue;
    const refusal = refusals[name];
    isNews ||= known.refused?.code !== refusal?.code;
    known.refused = refusal && {
      code: refusal.code,
      message: refusal.message,
      sinceMs: heardMs - refusal.ageMs,
      isCompared: false,
    };
    const ageMs = ages[at];
    if (isSame) {
      const verifiedMs = ageMs === undefined ? undefined : Math.min(nowMs, heardMs - ageMs);
      known.row = { ...known.row, verifiedMs };
    }
  }
  return isNews;
}
