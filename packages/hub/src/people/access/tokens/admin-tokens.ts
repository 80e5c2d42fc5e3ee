// The token of the first start. Its holder is `admin`, who begins with the role of that name on all clusters. Whoever
// started the hub may never have seen it, as the hub may have died before it was shown: until it is used, each start puts
// another one in its place. Once it was used no start makes or shows any.
import { type Clock, createId } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { adminName, type Principal } from "../policy/index.ts";
import { createToken, hashToken } from "./tokens.ts";

export interface AdminTokens {
  /** Undefined once it was used. */
  readonly firstToken: string | undefined;
  /** A promise for the first use alone: that is on record before anyone gets an answer. */
  find(sha256: string): Principal | undefined | Promise<Principal | undefined>;
}

export async function openAdminTokens(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** As an earlier start handed it over, where it can still be read. */
  readonly keptToken?: string | undefined;
}): Promise<AdminTokens> {
  const { db, clock } = options;
  const firstToken = await renewFirstToken(options);
  const rows = await db.selectFrom("admin_token").select(["id", "name", "secret_sha256", "used_at"]).execute();
  const bySha256 = new Map<string, AdminToken>();
  for (const { id, name, secret_sha256, used_at } of rows) {
    const principal: Principal = { kind: "admin-token", name, uid: id, groups: [], tokenId: id };
    bySha256.set(secret_sha256, { principal, isUsed: used_at !== null, recording: undefined });
  }

  return {
    firstToken,

    find(sha256) {
      const token = bySha256.get(sha256);
      if (!token || token.isUsed) return token?.principal;
      token.recording ??= recordUse(sha256, token).finally(() => {
        token.recording = undefined;
      });
      return token.recording;
    },
  };

  async function recordUse(sha256: string, token: AdminToken): Promise<Principal | undefined> {
    const now = new Date(clock.now());
    const row = await db
      .updateTable("admin_token")
      .set({ used_at: sql`coalesce(used_at, ${now})` })
      .where("id", "=", token.principal.uid)
      .returning("id")
      .executeTakeFirst();
    token.isUsed = row !== undefined;
    // A hub that started since has put another one in its place.
    if (!row) bySha256.delete(sha256);
    return row && token.principal;
  }
}

interface AdminToken {
  readonly principal: Principal;
  isUsed: boolean;
  recording: Promise<Principal | undefined> | undefined;
}

/** Locks the table, so that of two hubs on one database one has the token, and none replaces one that is used meanwhile. */
async function renewFirstToken({
  db,
  clock,
  keptToken,
}: Parameters<typeof openAdminTokens>[0]): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    await sql`lock table admin_token in share row exclusive mode`.execute(trx);
    const tokens = await trx.selectFrom("admin_token").select(["secret_sha256", "used_at"]).execute();
    if (tokens.some(({ used_at }) => used_at !== null)) return undefined;
    const keptSha256 = keptToken === undefined ? undefined : hashToken(keptToken);
    if (tokens.some(({ secret_sha256 }) => secret_sha256 === keptSha256)) return keptToken;
    await trx.deleteFrom("admin_token").execute();
    const { token, sha256 } = createToken("admin");
    const row = { id: createId("adm"), name: adminName, secret_sha256: sha256, created_at: new Date(clock.now()) };
    await trx.insertInto("admin_token").values(row).execute();
    return token;
  });
}
