import type { Role } from "@fairlead/protocol";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { ClusterChanges, ClusterRow, NewCluster, Uids } from "./types.ts";

/** The SQL of this room. `undefined` says that the cluster isn't there (any more). */
export interface ClusterStore {
  find(name: string): Promise<ClusterRow | undefined>;
  insert(cluster: NewCluster, at: Date): Promise<ClusterRow | undefined>;
  /** Decides by the row as it is, whoever else decides at the same time. `decide` gives undefined to leave it so. */
  settleUids(
    cluster: ClusterKey,
    decide: (row: ClusterRow) => Uids | undefined,
  ): Promise<{ readonly before: ClusterRow; readonly row: ClusterRow } | undefined>;
  /** Names of clusters with this UID that aren't revoked, at most so many. */
  namesWithUid(kubeSystemUid: string, limit: number): Promise<readonly string[]>;
  /** Ends the current epoch and starts the next. */
  revoke(
    name: string,
    revocation: { readonly reason: string | null; readonly at: Date },
  ): Promise<ClusterRow | undefined>;
  /** Only while the epoch is still this one; undefined also when nothing had to change. */
  reinstate(
    name: string,
    enrolled: { readonly epoch: number; readonly roles: readonly Role[] },
  ): Promise<ClusterRow | undefined>;
  /** Each of several hubs may ask for the same ones. */
  touch(names: readonly string[], at: Date): Promise<void>;
  remove(name: string): Promise<ClusterRow | undefined>;
}

/** An agent's link may be of a cluster that another hub has just removed, and the name be another one's. */
export type ClusterKey = Pick<ClusterRow, "name" | "incarnation">;

/** With `changes` other hubs on the database hear at once of what they must know. */
export function createClusterStore(db: Kysely<Tables>, changes?: ClusterChanges): ClusterStore {
  const commit: ClusterChanges["commit"] = changes?.commit ?? ((_topic, work) => db.transaction().execute(work));

  return {
    async find(name) {
      return await db.selectFrom("cluster").selectAll().where("name", "=", name).executeTakeFirst();
    },

    insert: ({ name, labels = {}, roles }, at) =>
      commit("clusters", (trx) =>
        trx
          .insertInto("cluster")
          .values({ name, labels: JSON.stringify(labels), roles: [...roles], created_at: at })
          .onConflict((conflict) => conflict.column("name").doNothing())
          .returningAll()
          .executeTakeFirst(),
      ),

    settleUids: ({ name, incarnation }, decide) =>
      commit("clusters", async (trx) => {
        const before = await trx
          .selectFrom("cluster")
          .selectAll()
          .where("name", "=", name)
          .where("incarnation", "=", incarnation)
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (!before) return undefined;
        const uids = decide(before);
        if (uids === undefined) return { before, row: before };
        const row = await trx
          .updateTable("cluster")
          .set({ ...uids, version: nextVersion })
          .where("name", "=", name)
          .returningAll()
          .executeTakeFirst();
        return row && { before, row };
      }),

    async namesWithUid(kubeSystemUid, limit) {
      const rows = await db
        .selectFrom("cluster")
        .select("name")
        .where("kube_system_uid", "=", kubeSystemUid)
        .where("revoked_at", "is", null)
        .orderBy("name")
        .limit(limit)
        .execute();
      return rows.map(({ name }) => name);
    },

    revoke: (name, { reason, at }) =>
      commit("clusters", async (trx) => {
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
      }),

    reinstate: (name, { epoch, roles }) =>
      commit("clusters", (trx) =>
        trx
          .updateTable("cluster")
          // Added where they are stored: two roles may enroll at once.
          .set({
            revoked_at: null,
            revoked_reason: null,
            version: nextVersion,
            roles: sql`roles || array(select role from unnest(${[...roles]}::text[]) role where role <> all (roles))`,
          })
          .where("name", "=", name)
          .where("epoch", "=", epoch)
          .where(sql<boolean>`(revoked_at is not null or not roles @> ${[...roles]}::text[])`)
          .returningAll()
          .executeTakeFirst(),
      ),

    async touch(names, at) {
      const due = new Date(at.getTime() - touchedMs);
      // Those that are locked are being written just now. In one order, since two hubs may do this at once.
      await sql`
        with due as materialized (
          select name from cluster where name = any(${names}::text[]) and (last_seen_at is null or last_seen_at < ${due})
          order by name for no key update skip locked
        )
        update cluster set last_seen_at = ${at} from due where cluster.name = due.name
      `.execute(db);
    },

    // Its choice of a profile goes with it.
    remove: (name) =>
      commit(["clusters", "declarations", "profiles"], async (trx) => {
        await trx.deleteFrom("declaration").where("kind", "=", "Cluster").where("name", "=", name).execute();
        return await trx.deleteFrom("cluster").where("name", "=", name).returningAll().executeTakeFirst();
      }),
  };
}

const nextVersion = sql<number>`version + 1`;
const touchedMs = 30_000;
