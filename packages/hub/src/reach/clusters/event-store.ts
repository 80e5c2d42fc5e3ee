// Events of clusters: so many of the newest are kept for each.
import type { ClusterEvent, ClusterEventLevel } from "@fairlead/contract";
import { createRounds } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { NewClusterEvent } from "./types.ts";

export interface EventStore {
  /** Does nothing when the cluster isn't there. */
  add(cluster: string, event: NewClusterEvent, at: Date): Promise<void>;
  /** Newest first. */
  list(cluster: string, limit: number): Promise<ClusterEvent[]>;
}

interface AddedEvent extends NewClusterEvent {
  readonly cluster: string;
  readonly at: Date;
}

export function createEventStore(db: Kysely<Tables>): EventStore {
  const addInRounds = createRounds({ most: mostAtOnce, run: addAll });
  return {
    add: (cluster, event, at) => addInRounds({ ...event, cluster, at }),

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

  /** A storm of reconnects brings thousands: those of the same moment take one statement. */
  async function addAll(all: readonly AddedEvent[]): Promise<(undefined | Promise<undefined>)[]> {
    const kept = await insert(all, { waits: false });
    // A cluster that is being removed keeps only its own events waiting.
    return all.map((one) => (kept.has(one.cluster) ? undefined : insert([one], { waits: true }).then(() => undefined)));
  }

  /**
   * A single statement, which sees the table as it was, so it leaves places free for its own rows. The cluster is locked
   * first, as its removal does, and none is inserted when it was removed meanwhile; of several at once each deletes what
   * no other is deleting. Returns the clusters that are there.
   */
  async function insert(
    all: readonly AddedEvent[],
    { waits }: { readonly waits: boolean },
  ): Promise<ReadonlySet<string>> {
    const column = <T>(pick: (event: AddedEvent) => T): T[] => all.map(pick);
    const { rows } = await sql<{ readonly cluster: string }>`
      with added as materialized (
        select * from unnest(
          ${column(({ cluster }) => cluster)}::text[], ${column(({ at }) => at)}::timestamptz[],
          ${column(({ type }) => type)}::text[], ${column(({ level }) => level ?? "info")}::text[],
          ${column(({ message }) => message)}::text[]
        ) with ordinality as added (cluster, at, type, level, message, place)
      ),
      home as materialized (
        select name from cluster where name in (select cluster from added)
        order by name for key share ${waits ? sql`` : sql`skip locked`}
      ),
      edge as materialized (
        select home.name, (
          select id from cluster_event e where e.cluster = home.name order by id desc
          offset greatest(${keptEvents} - (select count(*) from added a where a.cluster = home.name), 0) limit 1
        ) as id from home
      ),
      old as materialized (
        select e.id from edge join cluster_event e on e.cluster = edge.name
        where e.id <= edge.id for update of e skip locked
      ),
      pruned as (delete from cluster_event where id in (select id from old))
      insert into cluster_event (cluster, at, type, level, message)
      select added.cluster, added.at, added.type, added.level, added.message
      from added join home on home.name = added.cluster order by added.place
      returning cluster
    `.execute(db);
    return new Set(rows.map(({ cluster }) => cluster));
  }
}

const keptEvents = 200;
const mostAtOnce = 200;
