// Tokens whose holder is `admin`, who begins with the role of that name on all clusters: the one of the first start,
// and those that `fairlead-hub admin-token new` made. The person who started the hub may never have seen the first one,
// since the hub may have died before it was shown: until it is used, each start puts another one in its place. Once it
// was used, or was ended, no start makes or shows any. With several hubs on one database one of them has shown it, and
// a start leaves it alone for as long as that hub runs.
import { type Clock, createId } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { Step } from "../ledger/index.ts";
import { adminName, type Principal } from "../policy/index.ts";
import { createToken, hashToken } from "./tokens.ts";

export interface AdminTokens {
  /** Undefined once it was used, or when it was ended. */
  readonly firstToken: string | undefined;
  /** Another running hub has shown the token, and nobody has used it. */
  readonly isFirstElsewhere: boolean;
  /** A promise for the first use alone: that is on record before anyone gets an answer. */
  find(sha256: string): Principal | undefined | Promise<Principal | undefined>;
  /** False once it has ended. */
  has(id: string | undefined): boolean;
  /** How many are good that a start made, and that the command made. */
  count(): { readonly first: number; readonly byCommand: number };
  /** Takes what was done beside this hub, and puts it on record unless another hub does. */
  catchUp(signal?: AbortSignal): Promise<void>;
  /** Takes what is on record. */
  reread(): Promise<void>;
  /** Takes tokens that this hub doesn't know. */
  lookUp(sha256s: readonly string[]): Promise<ReadonlyMap<string, "good">>;
  /** The given ids that are no longer valid. */
  listEnded(ids: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Ends what starts have made; the next `catchUp` puts it on record. */
  revokeFirst(by: string): Promise<void>;
  /** Ends all that were good so far, and not what `catchUp` is about to take; the next one puts it on record. */
  revokeFormer(by: string, step: Step): Promise<void>;
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
  /** Other hubs may be on the database. */
  readonly hasOthers?: boolean | undefined;
  /** True where somebody else is admin at each start: none is made. */
  readonly hasAdmin?: boolean | undefined;
  /** Before a token that the command made is put on record. Any hub may do it, also several. */
  readonly onMade?: ((by: string) => Promise<void>) | undefined;
  /** Puts it on record; a token that was made counts when this is done. */
  readonly onNews?: ((news: AdminTokenNews) => Promise<void>) | undefined;
  readonly onEnded?: (() => Promise<void>) | undefined;
}): Promise<AdminTokens> {
  const { db, clock, hasOthers = false, onMade, onNews, onEnded = async () => undefined } = options;
  const renewed = options.hasAdmin ? { firstToken: undefined, isElsewhere: false } : await renewFirstToken(options);
  let { firstToken } = renewed;
  let saidAtMs = clock.now();
  const bySha256 = new Map<string, AdminToken>();
  const ids = new Set<string>();
  addGood(await load());

  return {
    get firstToken() {
      return firstToken;
    },

    get isFirstElsewhere() {
      return renewed.isElsewhere && [...bySha256.values()].some(({ byCommand, isUsed }) => !byCommand && !isUsed);
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
      await take(rows);
      if (hasOthers) await sayThere();
      for (const row of rows.filter(isNews)) {
        if (signal?.aborted) return;
        if (row.revoked_at === null) await onMade?.(newTokenCommand);
        const recorded = await record(row.id);
        if (recorded) addGood([recorded]);
      }
    },

    reread: async () => await take(await load()),

    async lookUp(sha256s) {
      await take(await load());
      return new Map(sha256s.flatMap((sha256) => (bySha256.has(sha256) ? [[sha256, "good"]] : [])));
    },

    async listEnded(wanted) {
      const good = new Set((await load()).filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id));
      return wanted.difference(good);
    },

    async revokeFirst(by) {
      await revoke(db, by).where("by_command", "=", false).execute();
      await take(await load());
    },

    async revokeFormer(by, { trx }) {
      await revoke(trx, by)
        .where((is) => is.or([is("by_command", "=", false), is("recorded_at", "is not", null)]))
        .execute();
    },
  };

  function revoke(on: Kysely<Tables>, by: string) {
    return on
      .updateTable("admin_token")
      .set({ revoked_at: new Date(clock.now()), revoked_by: by, recorded_at: null })
      .where("revoked_at", "is", null);
  }

  async function take(rows: readonly AdminTokenRow[]): Promise<void> {
    addGood(rows);
    const good = new Set(
      rows.filter(({ revoked_at }) => revoked_at === null).map(({ secret_sha256 }) => secret_sha256),
    );
    const gone = [...bySha256.keys()].filter((sha256) => !good.has(sha256));
    for (const sha256 of gone) drop(sha256);
    if (gone.length > 0) await onEnded();
  }

  async function load(): Promise<AdminTokenRow[]> {
    return await db.selectFrom("admin_token").select(columns).orderBy("created_at").execute();
  }

  function addGood(rows: readonly AdminTokenRow[]): void {
    for (const row of rows) if (row.revoked_at === null && !isNews(row)) add(row);
  }

  function add({ id, name, secret_sha256: sha256, used_at: usedAt, by_command: byCommand }: AdminTokenRow): void {
    const known = bySha256.get(sha256);
    if (known) {
      known.isUsed ||= usedAt !== null;
      return;
    }
    const principal: Principal = { kind: "admin-token", name, uid: id, groups: [], tokenId: id };
    bySha256.set(sha256, { principal, byCommand, isUsed: usedAt !== null, recording: undefined });
    ids.add(id);
  }

  /** Other hubs leave the token alone meanwhile. */
  async function sayThere(): Promise<void> {
    const token = firstToken === undefined ? undefined : bySha256.get(hashToken(firstToken));
    if (!token || token.isUsed || clock.now() < saidAtMs + sayThereEveryMs) return;
    saidAtMs = clock.now();
    await db
      .updateTable("admin_token")
      .set({ shown_at: sql<Date>`now()` })
      .where("id", "=", token.principal.uid)
      .execute();
  }

  function drop(sha256: string): void {
    const token = bySha256.get(sha256);
    bySha256.delete(sha256);
    if (token) ids.delete(token.principal.uid);
    if (firstToken !== undefined && hashToken(firstToken) === sha256) firstToken = undefined;
  }

  /** Undefined when another hub does it, or when it isn't good any more. */
  async function record(id: string): Promise<AdminTokenRow | undefined> {
    return await db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom("admin_token")
        .select(columns)
        .where("id", "=", id)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (!row || !isNews(row)) return undefined;
      await onNews?.(
        row.revoked_at === null
          ? { kind: "made", id, by: newTokenCommand }
          : { kind: "revoked", id, by: row.revoked_by ?? newTokenCommand },
      );
      const recorded_at = new Date(clock.now());
      await trx.updateTable("admin_token").set({ recorded_at }).where("id", "=", id).execute();
      return row.revoked_at === null ? { ...row, recorded_at } : undefined;
    });
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

interface FirstToken {
  readonly firstToken: string | undefined;
  readonly isElsewhere: boolean;
}

/** Locks the table, so that of two hubs on one database one has the token, and none replaces one that is used meanwhile. */
async function renewFirstToken({
  db,
  clock,
  keptToken,
  hasOthers = false,
}: Parameters<typeof openAdminTokens>[0]): Promise<FirstToken> {
  return await db.transaction().execute(async (trx) => {
    await sql`lock table admin_token in share row exclusive mode`.execute(trx);
    const tokens = await trx
      .selectFrom("admin_token")
      .select(["secret_sha256", "used_at", "revoked_at"])
      .select(sql<boolean | null>`shown_at > now() - make_interval(secs => ${shownForMs / 1_000})`.as("is_shown"))
      .where("by_command", "=", false)
      .execute();
    const none = { firstToken: undefined, isElsewhere: false };
    if (tokens.some(({ used_at, revoked_at }) => used_at !== null || revoked_at !== null)) return none;
    const keptSha256 = keptToken === undefined ? undefined : hashToken(keptToken);
    if (tokens.some(({ secret_sha256 }) => secret_sha256 === keptSha256)) return { ...none, firstToken: keptToken };
    if (hasOthers && tokens.some(({ is_shown }) => is_shown)) return { ...none, isElsewhere: true };
    await trx.deleteFrom("admin_token").where("by_command", "=", false).execute();
    const { token, sha256 } = createToken({ kind: "admin" });
    const row = { id: createId("adm"), name: adminName, secret_sha256: sha256, created_at: new Date(clock.now()) };
    await trx
      .insertInto("admin_token")
      .values({ ...row, shown_at: hasOthers ? sql<Date>`now()` : null })
      .execute();
    return { ...none, firstToken: token };
  });
}

const columns = [
  "id",
  "name",
  "secret_sha256",
  "used_at",
  "by_command",
  "revoked_at",
  "revoked_by",
  "recorded_at",
] as const;
const sayThereEveryMs = 5_000;
/** When several hubs start one after another, as in an upgrade, the first has shown it. */
const shownForMs = 30_000;
