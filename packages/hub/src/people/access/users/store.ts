import type { Kysely } from "kysely";
import { isUniqueViolation, type Tables } from "../../../platform/store/index.ts";

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
      const fresh = { name, groups: [...groups], signed_in_at: new Date(signedInMs) };
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
}
