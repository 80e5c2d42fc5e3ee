// Logout tokens count once, whichever hub gets them, and also when that one dies over it.
import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { hashToken } from "../tokens/index.ts";
import type { Logout } from "./types.ts";

export interface UsedLogouts {
  /** False when it was used before. */
  take(logout: Logout): Promise<boolean>;
  done(logout: Logout): Promise<void>;
  /** It may come again. */
  giveBack(logout: Logout): Promise<void>;
}

export function createUsedLogouts({ db, clock }: { readonly db: Kysely<Tables>; readonly clock: Clock }): UsedLogouts {
  return {
    async take(logout) {
      const now = clock.now();
      await db.deleteFrom("oidc_logout").where("ends_at", "<=", new Date(now)).execute();
      const taken_at = new Date(now);
      const row = await db
        .insertInto("oidc_logout")
        .values({ id_sha256: nameOf(logout), ends_at: new Date(logout.endsMs), taken_at, is_done: false })
        .onConflict((conflict) =>
          conflict
            .column("id_sha256")
            .doUpdateSet({ taken_at })
            .where("oidc_logout.is_done", "=", false)
            .where("oidc_logout.taken_at", "<=", new Date(now - abandonedMs)),
        )
        .returning("id_sha256")
        .executeTakeFirst();
      return row !== undefined;
    },

    async done(logout) {
      await db.updateTable("oidc_logout").set({ is_done: true }).where("id_sha256", "=", nameOf(logout)).execute();
    },

    async giveBack(logout) {
      await db.deleteFrom("oidc_logout").where("id_sha256", "=", nameOf(logout)).execute();
    },
  };
}

function nameOf({ issuer, id }: Logout): string {
  return hashToken(JSON.stringify([issuer, id]));
}

/** Longer than ending sessions takes. */
const abandonedMs = 120_000;
