import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";

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
  load(): Promise<UserRecord[]>;
  /** False when another user has the name. */
  put(user: UserRecord): Promise<boolean>;
  remove(uid: string): Promise<void>;
}

export function createUserStore(db: Kysely<Tables>): UserStore {
  return {
    async load() {
      const rows = await db.selectFrom("access_user").selectAll().execute();
      return rows.map(({ created_at, signed_in_at, ...row }) => ({
        ...row,
        createdMs: created_at.getTime(),
        signedInMs: signed_in_at.getTime(),
      }));
    },

    async put({ uid, name, issuer, subject, groups, createdMs, signedInMs }) {
      return await db.transaction().execute(async (trx) => {
        const other = await trx
          .selectFrom("access_user")
          .select("uid")
          .where("name", "=", name)
          .where("uid", "!=", uid)
          .executeTakeFirst();
        if (other) return false;
        const fresh = { name, groups: [...groups], signed_in_at: new Date(signedInMs) };
        await trx
          .insertInto("access_user")
          .values({ uid, issuer, subject, created_at: new Date(createdMs), ...fresh })
          .onConflict((conflict) => conflict.column("uid").doUpdateSet(fresh))
          .execute();
        return true;
      });
    },

    async remove(uid) {
      await db.deleteFrom("access_user").where("uid", "=", uid).execute();
    },
  };
}
