// Tokens whose holder is `admin`, who begins with the role of that name on all clusters: the one of the first start, and
// those that `fairlead-hub admin-token new` made. Whoever started the hub may never have seen the first one, as the hub may
// have died before it was shown: until it is used, each start puts another one in its place. Once it was used, or was
// ended, no start makes or shows any.
import { type Clock, createId } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { adminName, type Principal } from "../policy/index.ts";
import { createToken, hashToken } from "./tokens.ts";

export interface AdminTokens {
  /** Undefined once it was used, or when it was ended. */
  readonly firstToken: string | undefined;
  /** A promise for the first use alone: that is on record before anyone gets an answer. */
  find(sha256: string): Principal | undefined | Promise<Principal | undefined>;
  /** False once it has ended. */
  has(id: string | undefined): boolean;
  /** How many are good that a start made, and that the command made. */
  count(): { readonly first: number; readonly byCommand: number };
  /** Takes what was done beside this hub, and puts it on record. */
  catchUp(signal?: AbortSignal): Promise<void>;
  /** Ends what starts have made; the next `catchUp` puts it on record. */
  revokeFirst(by: string): Promise<void>;
  /** Ends all that were good so far, and not what `catchUp` is about to take; the next one puts it on record. */
  revokeFormer(by: string): Promise<void>;
}

export interface AdminTokenNews {
  readonly kind: "made" | "revoked";
  readonly id: string;
  readonly by: string;
}

export async function openAdminTokens(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** As an earlier start handed it over, where it can still be read. */
  readonly keptToken?: string | undefined;
  /** A token that was made counts when this is done. */
  readonly onNews?: ((news: AdminTokenNews) => Promise<void>) | undefined;
  readonly onEnded?: (() => Promise<void>) | undefined;
}): Promise<AdminTokens> {
  const { db, clock, onNews = async () => undefined, onEnded = async () => undefined } = options;
  let firstToken = await renewFirstToken(options);
  const bySha256 = new Map<string, AdminToken>();
  const ids = new Set<string>();
  for (const row of await load()) if (row.revoked_at === null && !isNews(row)) add(row);

  return {
    get firstToken() {
      return firstToken;
    },

    find(sha256) {
      const token = bySha256.get(sha256);
      if (!token || token.isUsed) return token?.principal;
      token.recording ??= recordUse(sha256, token).finally(() => {
        token.recording = undefined;
      });
      return token.recording;
    },

    has: (id) => id !== undefined && ids.has(id),

    count() {
      const all = [...bySha256.values()];
      const byCommand = all.filter((token) => token.byCommand).length;
      return { first: all.length - byCommand, byCommand };
    },

    async catchUp(signal) {
      const rows = await load();
      await dropEnded(rows);
      for (const row of rows.filter(isNews)) {
        if (signal?.aborted) return;
        const { id, revoked_at, revoked_by } = row;
        await onNews(
          revoked_at === null
            ? { kind: "made", id, by: newTokenCommand }
            : { kind: "revoked", id, by: revoked_by ?? newTokenCommand },
        );
        if ((await markRecorded(row)) && revoked_at === null) add(row);
      }
    },

    async revokeFirst(by) {
      await revoke(by).where("by_command", "=", false).execute();
      await dropEnded(await load());
    },

    async revokeFormer(by) {
      await revoke(by)
        .where((is) => is.or([is("by_command", "=", false), is("recorded_at", "is not", null)]))
        .execute();
      await dropEnded(await load());
    },
  };

  function revoke(by: string) {
    return db
      .updateTable("admin_token")
      .set({ revoked_at: new Date(clock.now()), revoked_by: by, recorded_at: null })
      .where("revoked_at", "is", null);
  }

  async function dropEnded(rows: readonly AdminTokenRow[]): Promise<void> {
    const good = new Set(
      rows.filter(({ revoked_at }) => revoked_at === null).map(({ secret_sha256 }) => secret_sha256),
    );
    const gone = [...bySha256.keys()].filter((sha256) => !good.has(sha256));
    for (const sha256 of gone) drop(sha256);
    if (gone.length > 0) await onEnded();
  }

  async function load(): Promise<AdminTokenRow[]> {
    const columns = ["id", "name", "secret_sha256", "used_at", "by_command", "revoked_at", "revoked_by"] as const;
    return await db.selectFrom("admin_token").select(columns).select("recorded_at").orderBy("created_at").execute();
  }

  function add({ id, name, secret_sha256: sha256, used_at: usedAt, by_command: byCommand }: AdminTokenRow): void {
    const principal: Principal = { kind: "admin-token", name, uid: id, groups: [], tokenId: id };
    bySha256.set(sha256, { principal, byCommand, isUsed: usedAt !== null, recording: undefined });
    ids.add(id);
  }

  function drop(sha256: string): void {
    const token = bySha256.get(sha256);
    bySha256.delete(sha256);
    if (token) ids.delete(token.principal.uid);
    if (firstToken !== undefined && hashToken(firstToken) === sha256) firstToken = undefined;
  }

  async function markRecorded({ id, revoked_at }: AdminTokenRow): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable("admin_token")
      .set({ recorded_at: new Date(clock.now()) })
      .where("id", "=", id)
      // A token that ended meanwhile still needs a record of its end.
      .where("revoked_at", revoked_at === null ? "is" : "is not", null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async function recordUse(sha256: string, token: AdminToken): Promise<Principal | undefined> {
    const now = new Date(clock.now());
    const row = await db
      .updateTable("admin_token")
      .set({ used_at: sql`coalesce(used_at, ${now})` })
      .where("id", "=", token.principal.uid)
      .where("revoked_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    token.isUsed = row !== undefined;
    // A hub that started since has put another one in its place, or it was ended.
    if (!row) drop(sha256);
    return row && token.principal;
  }
}

/** Audit records name the command as the one that made or ended a token. */
export const newTokenCommand = "fairlead-hub admin-token new";

interface AdminToken {
  readonly principal: Principal;
  readonly byCommand: boolean;
  isUsed: boolean;
  recording: Promise<Principal | undefined> | undefined;
}

interface AdminTokenRow {
  readonly id: string;
  readonly name: string;
  readonly secret_sha256: string;
  readonly used_at: Date | null;
  readonly by_command: boolean;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
  readonly recorded_at: Date | null;
}

function isNews({ by_command, revoked_at, recorded_at }: AdminTokenRow): boolean {
  return recorded_at === null && (by_command || revoked_at !== null);
}

/** Locks the table, so that of two hubs on one database one has the token, and none replaces one that is used meanwhile. */
async function renewFirstToken({
  db,
  clock,
  keptToken,
}: Parameters<typeof openAdminTokens>[0]): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    await sql`lock table admin_token in share row exclusive mode`.execute(trx);
    const tokens = await trx
      .selectFrom("admin_token")
      .select(["secret_sha256", "used_at", "revoked_at"])
      .where("by_command", "=", false)
      .execute();
    if (tokens.some(({ used_at, revoked_at }) => used_at !== null || revoked_at !== null)) return undefined;
    const keptSha256 = keptToken === undefined ? undefined : hashToken(keptToken);
    if (tokens.some(({ secret_sha256 }) => secret_sha256 === keptSha256)) return keptToken;
    await trx.deleteFrom("admin_token").where("by_command", "=", false).execute();
    const { token, sha256 } = createToken("admin");
    const row = { id: createId("adm"), name: adminName, secret_sha256: sha256, created_at: new Date(clock.now()) };
    await trx.insertInto("admin_token").values(row).execute();
    return token;
  });
}
