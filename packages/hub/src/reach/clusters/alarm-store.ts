// Alarms that nobody has seen yet, apart from events: those are many, and the newest push out the oldest.
import type { ClusterAlarm } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { NewClusterEvent } from "./types.ts";

export interface AlarmStore {
  /** Counts up an equal one. True when there is one more to be seen. */
  raise(cluster: string, alarm: NewClusterEvent, at: Date): Promise<boolean>;
  /** Latest first. */
  list(cluster: string): Promise<ClusterAlarm[]>;
  /** How many each cluster has, or those that are named. */
  count(clusters?: readonly string[]): Promise<Map<string, number>>;
  /** Only while it stands for so many; undefined when it isn't there. */
  remove(cluster: string, id: string, count: number): Promise<SeenAlarm | undefined>;
}

export interface SeenAlarm {
  readonly type: string;
  readonly message: string;
  readonly isGone: boolean;
}

export function createAlarmStore(db: Kysely<Tables>): AlarmStore {
  return {
    async raise(cluster, { type, message }, at) {
      // Alarms of a cluster are raised in turn: two at once would each count without the other.
      return await db.transaction().execute(async (trx) => {
        await hold(trx, cluster);
        const others = sql`(select key from cluster_alarm where cluster = ${cluster} and type = ${type}) as same_type`;
        // An agent that raises them can make each another one, so only so many of a type are kept apart; the first ones
        // are.
        const { rows } = await sql<{ is_new: boolean }>`
          insert into cluster_alarm (cluster, type, key, message, first_at, last_at, count)
          select name, ${type}::text, case when md5(${message}::text) in (select key from ${others})
              or (select count(*) from ${others}) < ${keptOfType}
            then md5(${message}::text) else '' end, ${message}::text, ${at}::timestamptz, ${at}::timestamptz, 1
          from cluster where name = ${cluster}
          on conflict (cluster, type, key) do update
          set count = cluster_alarm.count + 1, last_at = excluded.last_at, message = excluded.message
          returning xmax = 0 as is_new
        `.execute(trx);
        const isNew = rows[0]?.is_new ?? false;
        if (isNew) await countAgain(trx, cluster);
        return isNew;
      });
    },

    async list(cluster) {
      const rows = await db
        .selectFrom("cluster_alarm")
        .selectAll()
        .where("cluster", "=", cluster)
        .orderBy("last_at", "desc")
        .execute();
      return rows.map(({ id, type, message, first_at, last_at, count, key }) => ({
        id,
        type,
        message,
        count: Number(count),
        isSum: key === "",
        firstAt: first_at.toISOString(),
        lastAt: last_at.toISOString(),
      }));
    },

    async count(clusters) {
      let query = db
        .selectFrom("cluster_alarm")
        .select(["cluster", (one) => one.fn.countAll<number | string>().as("count")])
        .groupBy("cluster");
      if (clusters !== undefined) query = query.where(sql<boolean>`cluster = any(${clusters}::text[])`);
      return new Map((await query.execute()).map((row) => [row.cluster, Number(row.count)]));
    },

    async remove(cluster, id, count) {
      return await db.transaction().execute(async (trx) => {
        await hold(trx, cluster);
        const gone = await trx
          .deleteFrom("cluster_alarm")
          .where("cluster", "=", cluster)
          .where("id", "=", id)
          .where("count", "=", count)
          .returning(["type", "message"])
          .executeTakeFirst();
        if (gone) {
          await countAgain(trx, cluster);
          return { ...gone, isGone: true };
        }
        const left = await trx
          .selectFrom("cluster_alarm")
          .select(["type", "message"])
          .where("cluster", "=", cluster)
          .where("id", "=", id)
          .executeTakeFirst();
        return left && { ...left, isGone: false };
      });
    },
  };
}

async function hold(trx: Kysely<Tables>, cluster: string): Promise<void> {
  await sql`select from cluster where name = ${cluster} for no key update`.execute(trx);
}

/** Hubs that read the cluster again count its alarms, too. */
async function countAgain(trx: Kysely<Tables>, cluster: string): Promise<void> {
  await sql`update cluster set version = version + 1 where name = ${cluster}`.execute(trx);
}

/** Beside one row for all others of the type. */
const keptOfType = 20;
