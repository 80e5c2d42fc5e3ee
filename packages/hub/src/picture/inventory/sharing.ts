// The inventory of several hubs on one database. The database settles which agent reports a cluster. Each hub tells
// others how its reports do, and reads what the others write.
import { type Clock, sleep } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Beginning } from "./admission.ts";
import type { CopyStore } from "./copy-store.ts";
import { inventoryErrors, notLeader } from "./errors.ts";
import { followReports } from "./follow-reports.ts";
import { followRevisions } from "./follow-revisions.ts";
import type { Freshness } from "./freshness.ts";
import type { KindOfCluster, ObjectStore } from "./object-store.ts";
import { publishReports, type ReportPublisher } from "./publish-reports.ts";
import type { Quota } from "./quota.ts";
import { type Begun, createReportStore, type ReportStore } from "./report-store.ts";
import type { LearntTime } from "./store-time.ts";
import type { Telling, TellingOptions } from "./telling.ts";
import type { CommittedChange } from "./types.ts";
import type { UpkeepLeases } from "./upkeep.ts";
import type { Writer } from "./writer.ts";

export interface SharingPorts {
  readonly changes: Pick<Changes, "follow" | "hint">;
  readonly leases: UpkeepLeases;
  /** Tells this hub from others. */
  readonly hub: string;
}

export interface Sharing extends AsyncDisposable {
  readonly telling: Telling;
  readonly publisher: Pick<ReportPublisher, "begin" | "end">;
  /** The report may write from then on, and whoever reported before may not. Throws why it isn't admitted. */
  begin(cluster: string, start: Beginning, writer: Writer, signal: AbortSignal): Promise<Begun>;
  /** Takes a cluster from whoever reports it, to change its copy. Undefined when it was removed. */
  seize(cluster: string, writer: Writer): Promise<number | undefined>;
  /** Reads the cluster's kinds, which another hub may have changed. */
  adopt(cluster: string): Promise<void>;
  forget(cluster: string): void;
  /** The database isn't where it was. */
  readAgain(): Promise<void>;
  /** Begins to tell what was committed. */
  start(): void;
}

export async function openSharing(
  options: SharingPorts &
    TellingOptions & {
      readonly db: Kysely<Tables>;
      readonly time: LearntTime;
      readonly copies: CopyStore;
      readonly objects: ObjectStore;
      readonly freshness: Freshness;
      readonly quota: Pick<Quota, "usedOf">;
      /** Loads all copies from the store. */
      readonly load: () => Promise<void>;
      readonly exists: (cluster: string) => boolean;
      readonly onTakenOver: (cluster: string) => void;
      readonly clock: Clock;
      readonly log: Logger;
    },
): Promise<Sharing> {
  const { db, time, copies, objects, freshness, quota, load, exists, onTakenOver, changes, hub, clock, log } = options;
  const store: ReportStore = createReportStore({ db, time, now: () => clock.now() });
  const onChanged = (): void => changes.hint("inventory-reports");
  /** Fences of the newest report of each cluster at this hub, ended ones included. */
  const fences = new Map<string, number>();
  const live = new Set<string>();
  await using undo = new AsyncDisposableStack();
  const usedOf = quota.usedOf;
  const publisher = undo.use(publishReports({ store, usedOf, onPut: onChanged, clock, log }));
  // The database's clock first: what is loaded has its times.
  await store.listSince(Number.MAX_SAFE_INTEGER);
  await load();
  const reports = undo.use(
    await followReports({
      store,
      copies,
      objects,
      changes,
      freshness,
      clock,
      ownFence: (cluster) => fences.get(cluster),
      onTakenOver(cluster) {
        live.delete(cluster);
        onTakenOver(cluster);
      },
    }),
  );
  const revisions = followRevisions({ ...options, store: objects, prepare });
  undo.use(revisions);
  const owned = undo.move();

  return {
    telling: revisions,
    publisher: {
      begin(report) {
        live.add(report.cluster);
        publisher.begin(report);
      },
      end(report, end) {
        if (fences.get(report.cluster) === report.fence) live.delete(report.cluster);
        publisher.end(report, end);
      },
    },

    async begin(cluster, start, writer, signal) {
      const begun = await writer.run(() => store.begin({ ...start, cluster, hub }), { signal });
      if (!begun) throw await findRefusal(cluster, start);
      onChanged();
      // Two calls of one cluster at once: their answers come in any order.
      if ((fences.get(cluster) ?? 0) > begun.fence) throw inventoryErrors.INVENTORY_SUPERSEDED();
      fences.set(cluster, begun.fence);
      return begun;
    },

    async seize(cluster, writer) {
      const fence = await writer.run(() => store.seize({ cluster, hub }));
      if (fence === undefined) return undefined;
      onChanged();
      fences.set(cluster, Math.max(fence, fences.get(cluster) ?? 0));
      return fence;
    },

    adopt: (cluster) => reports.adopt([cluster]),
    forget(cluster) {
      fences.delete(cluster);
      live.delete(cluster);
    },
    async readAgain() {
      fences.clear();
      live.clear();
      await reports.readAgain();
    },
    start: () => revisions.start(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function findRefusal(cluster: string, { epoch }: Beginning): Promise<Error> {
    if (!exists(cluster)) return inventoryErrors.INVENTORY_CLUSTER_GONE();
    const seen = await store.newestEpoch(cluster);
    return seen === undefined ? inventoryErrors.INVENTORY_SUPERSEDED() : notLeader({ epoch, seen });
  }

  /** Listeners judge a change by its cluster and kind: a change that comes before these is nobody's. */
  async function prepare(news: readonly CommittedChange[], signal: AbortSignal): Promise<void> {
    await untilKnown([...new Set(news.map(({ cluster }) => cluster))], signal);
    const touched = [...new Map(news.map(({ cluster, kind }) => [`${cluster}/${kind}`, { cluster, kind }])).values()];
    const isUnknown = ({ cluster, kind }: KindOfCluster): boolean => freshness.of(cluster)?.kinds.has(kind) !== true;
    // A report of this hub knows its kinds, unless another hub has taken it over and nobody noticed yet.
    if (touched.some((one) => live.has(one.cluster) && isUnknown(one))) await reports.read();
    const others = touched.filter(({ cluster }) => !live.has(cluster));
    const unknown = new Set(others.filter(isUnknown).map(({ cluster }) => cluster));
    if (unknown.size > 0) await reports.adopt([...unknown]);
    await reports.count(touched);
    for (const cluster of unknown) freshness.changed(cluster);
  }

  /** Another hub may have made them a moment ago. */
  async function untilKnown(clusters: readonly string[], signal: AbortSignal): Promise<void> {
    for (let left = knownTries; left > 0; left--) {
      const unknown = clusters.filter((name) => !exists(name));
      if (unknown.length === 0) return;
      const { rows } = await sql`select from cluster where name = any(${unknown}::text[]) limit 1`.execute(db);
      if (rows.length === 0) return;
      await sleep(knownEveryMs, { clock, signal });
    }
    log.warn("clusters that another hub has made aren't known here yet; their changes are told all the same");
  }
}

const knownEveryMs = 100;
const knownTries = 100;
