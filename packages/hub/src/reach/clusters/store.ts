import type { ClusterEvent, ClusterEventLevel } from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";
import { type Kysely, sql, type Updateable } from "kysely";
import type { ClusterTable, Tables } from "../../platform/store/index.ts";
import type { ClusterRow, NewCluster, NewClusterEvent } from "./types.ts";

/** The SQL of this room. `undefined` says that the cluster isn't there (any more). */
export interface ClusterStore {
  load(): Promise<ClusterRow[]>;
  insert(cluster: NewCluster, at: Date): Promise<ClusterRow | undefined>;
  update(name: string, change: Updateable<ClusterTable>): Promise<ClusterRow | undefined>;
  /** Ends the current epoch and starts the next. */
  revoke(
    name: string,
    revocation: { readonly reason: string | null; readonly at: Date },
  ): Promise<ClusterRow | undefined>;
  /** Only while the epoch is still this one. */
  reinstate(
    name: string,
    enrolled: { readonly epoch: number; readonly roles: readonly Role[] },
  ): Promise<ClusterRow | undefined>;
  touch(names: readonly string[], at: Date): Promise<void>;
  remove(name: string): Promise<ClusterRow | undefined>;
  addEvent(name: string, event: NewClusterEvent, at: Date): Promise<void>;
  listEvents(name: string, limit: number): Promise<ClusterEvent[]>;
}

export function createClusterStore(db: Kysely<Tables>): ClusterStore {
  return {
    async load() {
      return await db.selectFrom("cluster").selectAll().execute();
    },

    async insert({ name, labels = {}, roles }, at) {
      return await db
        .insertInto("cluster")
        .values({ name, labels: JSON.stringify(labels), roles: [...roles], created_at: at })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returningAll()
        .executeTakeFirst();
    },

    async update(name, change) {
      return await db
        .updateTable("cluster")
        .set({ ...change, version: nextVersion })
        .where("name", "=", name)
        .returningAll()
        .executeTakeFirst();
    },

    async revoke(name, { reason, at }) {
      return await db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable("cluster")
          .set({ epoch: sql`epoch + 1`, revoked_at: at, revoked_reason: reason, version: nextVersion })
          .where("name", "=", name)
          .returningAll()
          .executeTakeFirst();
        if (!row) return undefined;
        await trx
          .insertInto("cluster_revocation")
          .values({ cluster: name, epoch: row.epoch - 1, revoked_at: at })
          .execute();
        return row;
      });
    },

    async reinstate(name, { epoch, roles }) {
      return await db
        .updateTable("cluster")
        // Added where they are stored: two roles may enroll at once.
        .set({
          ...{ revoked_at: null, revoked_reason: null, version: nextVersion },
          roles: sql`roles || array(select role from unnest(${[...roles]}::text[]) role where role <> all (roles))`,
        })
        .where("name", "=", name)
        .where("epoch", "=", epoch)
        .returningAll()
        .executeTakeFirst();
    },

    async touch(names, at) {
      await db.updateTable("cluster").set({ last_seen_at: at }).where("name", "in", names).execute();
    },

    async remove(name) {
      return await db.deleteFrom("cluster").where("name", "=", name).returningAll().executeTakeFirst();
    },

    async addEvent(name, { type, level = "info", message }, at) {
      // A single statement, because a storm of reconnects brings thousands. It sees the table as it was, so it leaves
      // one place free for its own row. The cluster is locked first, as its removal does, and none is inserted when it
      // was removed meanwhile; of several at once each deletes what no other is deleting.
      await sql`
        with home as materialized (select name from cluster where name = ${name} for key share),
        old as materialized (
          select e.id from home join cluster_event e on e.cluster = home.name where e.id <= (
            select id from cluster_event where cluster = ${name} order by id desc offset ${keptEvents - 1} limit 1
          ) for update of e skip locked
        ),
        pruned as (delete from cluster_event where id in (select id from old))
        insert into cluster_event (cluster, at, type, level, message)
        select name, ${at}::timestamptz, ${type}, ${level}, ${message} from home
      `.execute(db);
    },

    async listEvents(name, limit) {
      const rows = await db
        .selectFrom("cluster_event")
        .select(["at", "level", "type", "message"])
        .where("cluster", "=", name)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, level: row.level as ClusterEventLevel, at: row.at.toISOString() }));
    },
  };
}

const keptEvents = 200;
const nextVersion = sql<number>`version + 1`;
