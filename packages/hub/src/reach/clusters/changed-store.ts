// Reads what has changed of clusters, whichever hub changed it. A row's revision is the transaction that wrote it, and
// transactions end in any order. So a reader goes on from the oldest one that was under way when it looked: it reads some
// rows twice, and passes none that is committed later.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { ClusterRow } from "./types.ts";

/** All that was committed before `horizon` was seen. Transactions are those of one server, since its last start. */
export interface ClusterCursor {
  readonly horizon: string;
  readonly server: string;
}

export interface ChangedClusters {
  /** Where the next reading goes on. */
  readonly cursor: ClusterCursor;
  readonly rows: readonly ClusterRow[];
  readonly removed: readonly { readonly name: string; readonly incarnation: string }[];
  /** True when these are all clusters there are. */
  readonly isWhole: boolean;
}

export interface ChangedStore {
  /** All of them without a cursor, and when another server has taken over since: it may count its transactions anew. */
  read(since: ClusterCursor | undefined): Promise<ChangedClusters>;
  /** When these were last seen, of those that were seen since. */
  lastSeen(
    names: readonly string[],
    since: Date,
  ): Promise<readonly Pick<ClusterRow, "name" | "last_seen_at" | "last_lost_at">[]>;
}

export function createChangedStore(db: Kysely<Tables>): ChangedStore {
  return {
    async read(since) {
      // First: what follows sees at least as much.
      const cursor = await readCursor(db);
      if (since === undefined || since.server !== cursor.server) {
        const rows = await db.selectFrom("cluster").selectAll().execute();
        return { cursor, rows, removed: [], isWhole: true };
      }
      // A copy of another server's rows has its revisions, which may be those of transactions to come.
      const isNew = sql<boolean>`revision >= ${since.horizon}::bigint
        and revision < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
      const removed = await db.selectFrom("cluster_removal").select(["name", "incarnation"]).where(isNew).execute();
      const rows = await db.selectFrom("cluster").selectAll().where(isNew).execute();
      return { cursor, rows, removed, isWhole: false };
    },

    async lastSeen(names, since) {
      return await db
        .selectFrom("cluster")
        .select(["name", "last_seen_at", "last_lost_at"])
        .where(sql<boolean>`name = any(${names}::text[])`)
        .where("last_seen_at", ">", since)
        .execute();
    },
  };
}

async function readCursor(db: Kysely<Tables>): Promise<ClusterCursor> {
  const { rows } = await sql<ClusterCursor>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      extract(epoch from pg_postmaster_start_time())::text as server
  `.execute(db);
  const [cursor] = rows;
  if (!cursor) throw new Error("the database doesn't say which of its transactions are under way");
  return cursor;
}
