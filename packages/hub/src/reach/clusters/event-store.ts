// Events of clusters: so many of the newest are kept for each.
import type { ClusterEvent, ClusterEventLevel } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { NewClusterEvent } from "./types.ts";

export interface EventStore {
  /** Does nothing when the cluster isn't there. */
  add(cluster: string, event: NewClusterEvent, at: Date): Promise<void>;
  /** Newest first. */
  list(cluster: string, limit: number): Promise<ClusterEvent[]>;
}

export function createEventStore(db: Kysely<Tables>): EventStore {
  return {
    async add(cluster, { type, level = "info", message }, at) {
      // A single statement, because a storm of reconnects brings thousands. It sees the table as it was, so it leaves
      // one place free for its own row. The cluster is locked first, as its removal does, and none is inserted when it
      // was removed meanwhile; of several at once each deletes what no other is deleting.
      await sql`
        with home as materialized (select name from cluster where name = ${cluster} for key share),
        old as materialized (
          select e.id from home join cluster_event e on e.cluster = home.name where e.id <= (
            select id from cluster_event where cluster = ${cluster} order by id desc offset ${keptEvents - 1} limit 1
          ) for update of e skip locked
        ),
        pruned as (delete from cluster_event where id in (select id from old))
        insert into cluster_event (cluster, at, type, level, message)
        select name, ${at}::timestamptz, ${type}, ${level}, ${message} from home
      `.execute(db);
    },

    async list(cluster, limit) {
      const rows = await db
        .selectFrom("cluster_event")
        .select(["at", "level", "type", "message"])
        .where("cluster", "=", cluster)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, level: row.level as ClusterEventLevel, at: row.at.toISOString() }));
    },
  };
}

const keptEvents = 200;
