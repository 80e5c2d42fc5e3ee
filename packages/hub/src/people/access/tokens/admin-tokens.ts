// The token of the first start. Its holder is `admin`, who begins with the role of that name on all clusters.
import { createId } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { adminName, type Principal } from "../policy/index.ts";
import { createToken } from "./tokens.ts";

export interface AdminTokens {
  /** Only when this start made it. */
  readonly firstToken: string | undefined;
  readonly bySha256: ReadonlyMap<string, Principal>;
}

export async function openAdminTokens(db: Kysely<Tables>, now: Date): Promise<AdminTokens> {
  const firstToken = await createFirstToken(db, now);
  const rows = await db.selectFrom("admin_token").select(["id", "name", "secret_sha256"]).execute();
  const bySha256 = new Map(
    rows.map(({ id, name, secret_sha256 }) => {
      const principal: Principal = { kind: "admin-token", name, uid: id, groups: [], tokenId: id };
      return [secret_sha256, principal];
    }),
  );
  return { firstToken, bySha256 };
}

/** Locks the table, so that two hubs on one database don't both make a token. */
async function createFirstToken(db: Kysely<Tables>, now: Date): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    await sql`lock table admin_token in share row exclusive mode`.execute(trx);
    const existing = await trx.selectFrom("admin_token").select("id").limit(1).executeTakeFirst();
    if (existing) return undefined;
    const { token, sha256 } = createToken("admin");
    const row = { id: createId("adm"), name: adminName, secret_sha256: sha256, created_at: now };
    await trx.insertInto("admin_token").values(row).execute();
    return token;
  });
}
