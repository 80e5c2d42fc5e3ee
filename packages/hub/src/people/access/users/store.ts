import { type Kysely, sql } from "kysely";
import { isUniqueViolation, type Tables } from "../../../platform/store/index.ts";
import { readHorizon } from "../ledger/index.ts";

/** Someone who signed in by the identity provider. Times are milliseconds since the epoch. */
export interface UserRecord {
  readonly uid: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly createdMs: number;
  readonly signedInMs: number;
}

export interface UserStore {
  /** All users, or those that changed from a horizon on. */
  load(since: number | undefined): Promise<LoadedUsers>;
  /** Rows of a backup name transactions of another server, which are yet to come here: they would be read each time. */
  settle(): Promise<void>;
  /** At a sign-in that changes nothing else; false when the user isn't there any more, or differs. */
  touch(user: UserRecord): Promise<boolean>;
  /** False when another user has the name. */
  put(user: UserRecord): Promise<boolean>;
  remove(uid: string): Promise<void>;
}

export interface LoadedUsers {
  readonly users: readonly UserRecord[];
  readonly isAll: boolean;
  /** Counts all of them. */
  readonly count: number;
  readonly horizon: number;
}

export function createUserStore(db: Kysely<Tables>): UserStore {
  return {
    async load(since) {
      const horizon = await readHorizon(db);
      const isAll = since === undefined || horizon < since;
      const all = db.selectFrom("access_user").selectAll();
      const rows = await (isAll ? all : all.where("changed_xid", ">=", since)).execute();
      const users = rows.map(({ created_at, signed_in_at, changed_xid: _, ...row }) => ({
        ...row,
        createdMs: created_at.getTime(),
        signedInMs: signed_in_at.getTime(),
      }));
      return { users, isAll, count: isAll ? users.length : await count(), horizon };
    },

    async settle() {
      const current = sql<number>`pg_current_xact_id()::text::bigint`;
      await db.updateTable("access_user").set({ changed_xid: current }).where("changed_xid", ">", current).execute();
    },

    async touch({ uid, name, groups, signedInMs }) {
      const { numUpdatedRows } = await db
        .updateTable("access_user")
        .set({ signed_in_at: new Date(signedInMs) })
        .where("uid", "=", uid)
        .where("name", "=", name)
        .where("groups", "=", sql<string[]>`${[...groups]}::text[]`)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async put({ uid, name, issuer, subject, groups, createdMs, signedInMs }) {
      const changed_xid = sql<number>`pg_current_xact_id()::text::bigint`;
      const fresh = { name, groups: [...groups], signed_in_at: new Date(signedInMs), changed_xid };
      try {
        await db
          .insertInto("access_user")
          .values({ uid, issuer, subject, created_at: new Date(createdMs), ...fresh })
          .onConflict((conflict) => conflict.column("uid").doUpdateSet(fresh))
          .execute();
        return true;
      } catch (error) {
        // Looking first wouldn't do: another sign-in may come between.
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },

    async remove(uid) {
      await db.deleteFrom("access_user").where("uid", "=", uid).execute();
    },
  };

  async function count(): Promise<number> {
    const { users } = await db
      .selectFrom("access_user")
      .select(({ fn }) => fn.countAll<number>().as("users"))
      .executeTakeFirstOrThrow();
    return Number(users);
  }
}
