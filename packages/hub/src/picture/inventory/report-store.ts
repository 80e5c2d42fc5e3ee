// The SQL of reports, for hubs that share a database. It decides who reports a cluster, and carries to other hubs how well
// its copy is in step. Everything is one statement: a hub that is stopped between two would hold up the others.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { aliveMs, type Beginning, fenceMs } from "./admission.ts";
import { nowMicros, oneWriter, raiseTopic } from "./guard.ts";
import type { LearntTime } from "./store-time.ts";

export interface ReportStore {
  /** Undefined: it isn't admitted. The reporter before can't write from then on. */
  begin(options: Beginning & { readonly cluster: string; readonly hub: string }): Promise<Begun | undefined>;
  /** Ends whatever report there is, so that this hub may change the copy. Gives its fence; undefined: there is no cluster. */
  seize(options: { readonly cluster: string; readonly hub: string }): Promise<number | undefined>;
  /** Undefined: no cluster of this name was ever reported. */
  newestEpoch(cluster: string): Promise<bigint | undefined>;
  /** Stores the news of reports that are still the newest of their clusters. */
  put(reports: readonly ReportNews[]): Promise<void>;
  /** Reports that changed after this value of the counter. */
  listSince(revision: number): Promise<{ readonly reports: StoredReport[]; readonly counter: number }>;
}

export interface Begun {
  readonly fence: number;
  /** The copy that there is, is of this one. */
  readonly kubeSystemUid: string;
  /** There was none. */
  readonly isNew: boolean;
  /** Another hub had the report before. */
  readonly isMoved: boolean;
  /** The share of the store that the other hub counted, if it ended its report. */
  readonly used: Used | undefined;
}

export interface Used {
  readonly objects: number;
  readonly bytes: number;
}

/** Times are of this hub. */
export interface ReportNews {
  readonly cluster: string;
  readonly fence: number;
  readonly heardMs: number;
  readonly end: { readonly atMs: number; readonly reason: string } | undefined;
  readonly pendingChanges: number;
  readonly oldestPendingMs: number | undefined;
  readonly kindsMark: string;
  /** By the kinds' names in order: how long before it was heard of it each was verified. */
  readonly ages: readonly (number | undefined)[];
  readonly refusals: Readonly<Record<string, KindRefusal>> | undefined;
  readonly used: Used | undefined;
}

export interface KindRefusal {
  readonly code: string;
  readonly message: string;
  readonly ageMs: number;
}

export interface StoredReport extends Omit<ReportNews, "used"> {
  readonly hub: string;
  readonly startedMs: number;
  readonly kubeSystemUid: string;
  readonly leaseEpoch: bigint;
}

export function createReportStore(options: {
  readonly db: Kysely<Tables>;
  readonly time: LearntTime;
  readonly now: () => number;
}): ReportStore {
  const { db, time, now } = options;
  return {
    async begin({ cluster, hub, kubeSystemUid, agentInstanceId, epoch }) {
      const isRecent = (at: string, ms: number) => sql`clock_timestamp() - ${sql.raw(at)} < ${ms} * interval '1 ms'`;
      const { rows } = await sql<BegunRow>`
        with ${oneWriter},
        before as (select hub, ended_at is not null as is_ended from inventory_report where cluster = ${cluster}),
        raised as (${raiseTopic("inventory-reports", sql`select from one_writer`)}),
        begun as (
          insert into inventory_report as r (
            cluster, fence, hub, agent, lease_epoch, started_at, heard_at, revision
          )
          select c.name, ${nowMicros}, ${hub}, ${agentInstanceId}, ${String(epoch)}::bigint,
            clock_timestamp(), clock_timestamp(), raised.value
          from raised, (select name from cluster where name = ${cluster} for key share skip locked) c
          on conflict (cluster) do update set
            fence = greatest(r.fence + 1, excluded.fence), hub = excluded.hub, agent = excluded.agent,
            lease_epoch = excluded.lease_epoch, started_at = excluded.started_at, heard_at = excluded.heard_at,
            ended_at = null, end_reason = null, pending_changes = 0, oldest_pending_at = null, refusals = null,
            revision = excluded.revision
          -- An agent that leads no more, as admission.ts has it.
          where not (excluded.lease_epoch < r.lease_epoch
              and ${isRecent("coalesce(r.ended_at, r.heard_at)", fenceMs)})
            and not (excluded.lease_epoch = r.lease_epoch and r.agent <> excluded.agent and r.ended_at is null
              and ${isRecent("r.heard_at", aliveMs)})
          returning r.cluster, r.fence, r.used_objects, r.used_bytes
        ),
        copied as (
          insert into inventory_cluster as c (cluster, kube_system_uid, lease_epoch)
          select cluster, ${kubeSystemUid}, ${String(epoch)}::bigint from begun
          on conflict (cluster) do update set lease_epoch = excluded.lease_epoch
          returning c.kube_system_uid, c.xmax = 0 as is_new
        )
        select begun.fence, begun.used_objects, begun.used_bytes, copied.*, before.hub as before, before.is_ended
        from begun cross join copied left join before on true
      `.execute(db);
      const [row] = rows;
      if (!row) return undefined;
      const {
        fence,
        kube_system_uid,
        is_new: isNew,
        used_objects: objects,
        used_bytes: bytes,
        before,
        is_ended: isEnded,
      } = row;
      const isMoved = before !== null && before !== hub;
      const used = isEnded === true && objects !== null && bytes !== null ? { objects, bytes } : undefined;
      return { fence, kubeSystemUid: kube_system_uid, isNew, isMoved, used };
    },

    async seize({ cluster, hub }) {
      const { rows } = await sql<{ fence: number }>`
        with ${oneWriter},
        raised as (${raiseTopic("inventory-reports", sql`select from one_writer`)})
        insert into inventory_report as r (
          cluster, fence, hub, agent, lease_epoch, started_at, heard_at, ended_at, revision
        )
        select c.name, ${nowMicros}, ${hub}, '', 0, clock_timestamp(), clock_timestamp(), clock_timestamp(), raised.value
        from raised, (select name from cluster where name = ${cluster} for key share skip locked) c
        on conflict (cluster) do update set
          fence = greatest(r.fence + 1, excluded.fence), hub = excluded.hub, lease_epoch = 0,
          ended_at = excluded.ended_at, end_reason = null, revision = excluded.revision
        returning r.fence
      `.execute(db);
      return rows[0]?.fence;
    },

    async newestEpoch(cluster) {
      const { rows } = await sql<{ lease_epoch: number | string }>`
        select lease_epoch from inventory_report where cluster = ${cluster}
      `.execute(db);
      return rows[0] && BigInt(rows[0].lease_epoch);
    },

    async put(reports) {
      if (reports.length === 0) return;
      const stored = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(time.toStored(ms)));
      const values = reports.map(({ heardMs, end, oldestPendingMs, ages, used, ...rest }) => ({
        ...rest,
        heard: stored(heardMs),
        ended: stored(end?.atMs),
        reason: end?.reason,
        oldest: stored(oldestPendingMs),
        ages: ages.map((ageMs) => (ageMs === undefined ? -1 : Math.min(Math.max(0, Math.round(ageMs)), 2 ** 31 - 1))),
        objects: used?.objects,
        bytes: used?.bytes,
      }));
      await sql`
        with raised as (${raiseTopic("inventory-reports", sql`select`)}),
        news as (
          select * from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) n (
            cluster text, fence bigint, heard timestamptz, ended timestamptz, reason text, "pendingChanges" integer,
            oldest timestamptz, "kindsMark" text, ages jsonb, refusals jsonb, objects float8, bytes float8
          )
        ),
        free as (
          select r.cluster from raised, inventory_report r join news n on n.cluster = r.cluster and n.fence = r.fence
          where r.ended_at is null for no key update of r skip locked
        )
        update inventory_report r set
          heard_at = n.heard, ended_at = n.ended, end_reason = n.reason, pending_changes = n."pendingChanges",
          oldest_pending_at = n.oldest, kinds_mark = n."kindsMark",
          ages = array(select jsonb_array_elements_text(n.ages)::integer), refusals = n.refusals,
          used_objects = n.objects, used_bytes = n.bytes, revision = raised.value
        from raised, free join news n using (cluster)
        where r.cluster = n.cluster and r.fence = n.fence and r.ended_at is null
      `.execute(db);
    },

    async listSince(revision) {
      const askedMs = now();
      const { rows } = await sql<ReportRow>`
        select counter.value::float8 as counter, clock_timestamp() as at, r.*
        from (select coalesce((select value from change_counter where topic = 'inventory-reports'), 0) as value) counter
        left join (
          select p.*, c.kube_system_uid from inventory_report p join inventory_cluster c on c.cluster = p.cluster
          where p.revision > ${revision}
        ) r on true
      `.execute(db);
      const [first] = rows;
      if (first) time.learn({ askedMs, answeredMs: now(), storeMs: first.at.getTime() });
      return {
        reports: rows.filter(({ cluster }) => cluster !== null).map((row) => toReport(row, time)),
        counter: first?.counter ?? 0,
      };
    },
  };
}

function toReport(row: ReportRow, time: LearntTime): StoredReport {
  return {
    cluster: row.cluster,
    fence: row.fence,
    hub: row.hub,
    kubeSystemUid: row.kube_system_uid,
    leaseEpoch: BigInt(row.lease_epoch),
    startedMs: time.fromStored(row.started_at),
    heardMs: time.fromStored(row.heard_at),
    end: row.ended_at === null ? undefined : { atMs: time.fromStored(row.ended_at), reason: row.end_reason ?? "" },
    pendingChanges: row.pending_changes,
    oldestPendingMs: row.oldest_pending_at === null ? undefined : time.fromStored(row.oldest_pending_at),
    kindsMark: row.kinds_mark,
    ages: row.ages.map((ageMs) => (ageMs < 0 ? undefined : ageMs)),
    refusals: row.refusals ?? undefined,
  };
}

interface BegunRow {
  readonly fence: number;
  readonly kube_system_uid: string;
  readonly is_new: boolean;
  readonly used_objects: number | null;
  readonly used_bytes: number | null;
  readonly before: string | null;
  readonly is_ended: boolean | null;
}

interface ReportRow extends Omit<Tables["inventory_report"], "fence" | "refusals"> {
  readonly counter: number;
  readonly at: Date;
  readonly fence: number;
  readonly refusals: Readonly<Record<string, KindRefusal>> | null;
  readonly kube_system_uid: string;
}
