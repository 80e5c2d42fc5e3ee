import type { PrincipalKind, SessionInfo, TokenScope } from "@fairlead/contract";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { type ChangesPort, readHorizon } from "../ledger/index.ts";
import type { Principal } from "../policy/index.ts";

/** A sign-in: the person, the way and the address. */
export interface SignInFacts extends Pick<Principal, "kind" | "name" | "uid" | "groups" | "tokenId" | "scope"> {
  readonly method: SessionInfo["method"];
  readonly remoteAddress?: string | undefined;
  /** The identity provider's name for the sign-in there. */
  readonly oidcSid?: string | undefined;
}

/** A session as it is kept. Times are milliseconds since the epoch. */
export interface SessionRecord extends SignInFacts {
  readonly id: string;
  readonly createdMs: number;
  readonly refreshedMs: number;
  readonly endsMs: number;
}

export interface SessionTokenRecord {
  readonly sha256: string;
  readonly sessionId: string;
  readonly kind: "access" | "refresh";
  readonly expiresMs: number;
  /** The time of a refresh token's first exchange. */
  readonly usedMs: number | undefined;
}

export interface SessionStore {
  /** Sessions that aren't over; with a horizon, those that changed since. */
  load(since: number | undefined, now: Date): Promise<LoadedSessions>;
  /** Tokens that are good for something. */
  loadAccessTokens(now: Date): Promise<SessionTokenRecord[]>;
  /** Sessions of these tokens, and the tokens. */
  find(sha256s: readonly string[]): Promise<{ sessions: SessionRecord[]; tokens: SessionTokenRecord[] }>;
  insert(session: SessionRecord, tokens: readonly SessionTokenRecord[]): Promise<void>;
  rotate(rotation: Rotation): Promise<Rotated>;
  /** Tells other hubs, too. */
  remove(sessions: readonly Pick<SessionRecord, "id" | "endsMs">[], now: Date): Promise<void>;
  removeOver(now: Date): Promise<void>;
}

export interface LoadedSessions {
  readonly sessions: readonly SessionRecord[];
  /** Sessions that ended before they expired. */
  readonly endedIds: readonly string[];
  readonly isAll: boolean;
  readonly horizon: number;
}

export interface Rotation {
  readonly sha256: string;
  readonly nowMs: number;
  /** A token that was first used longer ago is somebody else's, too. */
  readonly reuseGraceMs: number;
  /** With so many used refresh tokens a session ends, as none of them is forgotten. */
  readonly maxUsed: number;
  /** Decides what the session gets and what may be forgotten. It is called while nobody else can change the session. */
  readonly renew: (
    session: SessionRecord,
    tokens: readonly SessionTokenRecord[],
  ) => { readonly tokens: readonly SessionTokenRecord[]; readonly forget: readonly string[] };
}

export type Rotated =
  | { readonly kind: "unknown" }
  | { readonly kind: "reused"; readonly sessionId: string }
  | { readonly kind: "renewed"; readonly session: SessionRecord; readonly forgotten: readonly string[] };

export function createSessionStore(db: Kysely<Tables>, changes: ChangesPort): SessionStore {
  /** The era of the last loading. Once the database went back, the changes since then aren't the whole difference. */
  let loadedEra: number | undefined;
  return {
    async load(since, now) {
      const { era } = changes;
      const goesOn = era === loadedEra;
      const loaded: LoadedSessions = await db
        .transaction()
        .setIsolationLevel("repeatable read")
        .execute(async (trx) => {
          const horizon = await readHorizon(trx);
          if (since === undefined || horizon < since || !goesOn) {
            const rows = await trx.selectFrom("session").selectAll().where("ends_at", ">", now).execute();
            return { sessions: rows.map(toRecord), endedIds: [], isAll: true, horizon };
          }
          const rows = await trx.selectFrom("session").selectAll().where("changed_xid", ">=", since).execute();
          const ended = await trx.selectFrom("session_end").select("id").where("changed_xid", ">=", since).execute();
          return { sessions: rows.map(toRecord), endedIds: ended.map(({ id }) => id), isAll: false, horizon };
        });
      loadedEra = era;
      return loaded;
    },

    async loadAccessTokens(now) {
      const rows = await db
        .selectFrom("session_token")
        .selectAll()
        .where("kind", "=", "access")
        .where("expires_at", ">", now)
        .execute();
      return rows.map(toTokenRecord);
    },

    async find(sha256s) {
      const tokens = await db
        .selectFrom("session_token")
        .selectAll()
        .where("secret_sha256", "=", sql<string>`any(${[...sha256s]}::text[])`)
        .execute();
      if (tokens.length === 0) return { sessions: [], tokens: [] };
      const ids = [...new Set(tokens.map(({ session_id }) => session_id))];
      const sessions = await db.selectFrom("session").selectAll().where("id", "in", ids).execute();
      return { sessions: sessions.map(toRecord), tokens: tokens.map(toTokenRecord) };
    },

    async insert(session, tokens) {
      await changes.commit("sessions", async (trx) => {
        const { id, kind, name, uid, method } = session;
        await trx
          .insertInto("session")
          .values({
            id,
            kind,
            name,
            uid,
            method,
            groups: [...session.groups],
            token_id: session.tokenId ?? null,
            scope: session.scope === undefined ? null : JSON.stringify(session.scope),
            remote_address: session.remoteAddress ?? null,
            oidc_sid: session.oidcSid ?? null,
            created_at: new Date(session.createdMs),
            refreshed_at: new Date(session.refreshedMs),
            ends_at: new Date(session.endsMs),
          })
          .execute();
        await trx.insertInto("session_token").values(tokens.map(toRow)).execute();
      });
    },

    // No hint is needed: a hub that doesn't know a token looks for it.
    async rotate(rotation) {
      const rotated = await db.transaction().execute((trx) => rotate(trx, rotation));
      if (rotated.kind === "reused") changes.hint("sessions");
      return rotated;
    },

    async remove(sessions, now) {
      await changes.commit("sessions", async (trx) => {
        await trx.deleteFrom("session_end").where("ends_at", "<=", now).execute();
        await removeEach(trx, sessions);
      });
    },

    async removeOver(now) {
      // Other hubs do the same at the same time.
      const over = db
        .selectFrom("session")
        .select("id")
        .where("ends_at", "<=", now)
        .orderBy("id")
        .forUpdate()
        .skipLocked();
      await db.deleteFrom("session").where("id", "in", over).execute();
      await db.deleteFrom("session_end").where("ends_at", "<=", now).execute();
    },
  };

  async function rotate(
    trx: Kysely<Tables>,
    { sha256, nowMs, reuseGraceMs, maxUsed, renew }: Rotation,
  ): Promise<Rotated> {
    const at = new Date(nowMs);
    const found = await trx
      .selectFrom("session_token")
      .select("session_id")
      .where("secret_sha256", "=", sha256)
      .where("kind", "=", "refresh")
      .executeTakeFirst();
    if (!found) return { kind: "unknown" };
    // The session before its tokens, as its end does: the other way round two would wait for each other. From here on no
    // hub changes either.
    const row = await trx
      .updateTable("session")
      .set({ refreshed_at: at, changed_xid: sql<number>`pg_current_xact_id()::text::bigint` })
      .where("id", "=", found.session_id)
      .where("ends_at", ">", at)
      .returningAll()
      .executeTakeFirst();
    const rows = await trx
      .selectFrom("session_token")
      .selectAll()
      .where("session_id", "=", found.session_id)
      .orderBy("created_at")
      .execute();
    const tokens = rows.map(toTokenRecord);
    const used = tokens.find((token) => token.sha256 === sha256);
    if (!row || !used) return { kind: "unknown" };
    const session = toRecord(row);
    const usedCount = tokens.filter(({ kind, usedMs }) => kind === "refresh" && usedMs !== undefined).length;
    const isTooOften = used.usedMs === undefined && usedCount >= maxUsed;
    if (isTooOften || (used.usedMs !== undefined && nowMs - used.usedMs > reuseGraceMs)) {
      await removeEach(trx, [session]);
      await changes.raise(trx, "sessions");
      return { kind: "reused", sessionId: session.id };
    }
    if (used.usedMs === undefined)
      await trx.updateTable("session_token").set({ used_at: at }).where("secret_sha256", "=", sha256).execute();
    const fresh = renew(session, tokens);
    const forgotten = fresh.forget.filter((one) => one !== sha256);
    if (forgotten.length > 0) await trx.deleteFrom("session_token").where("secret_sha256", "in", forgotten).execute();
    await trx.insertInto("session_token").values(fresh.tokens.map(toRow)).execute();
    return { kind: "renewed", session, forgotten };
  }
}

/** In the order of ids, so that two who end the same sessions don't wait for each other. */
async function removeEach(
  trx: Kysely<Tables>,
  sessions: readonly Pick<SessionRecord, "id" | "endsMs">[],
): Promise<void> {
  const ids = sessions.map(({ id }) => id);
  await trx.selectFrom("session").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute();
  await trx.deleteFrom("session").where("id", "in", ids).execute();
  await trx
    .insertInto("session_end")
    .values(sessions.map(({ id, endsMs }) => ({ id, ends_at: new Date(endsMs) })))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

function toRecord(row: Selectable<Tables["session"]>): SessionRecord {
  return {
    id: row.id,
    kind: row.kind as PrincipalKind,
    name: row.name,
    uid: row.uid,
    groups: row.groups,
    method: row.method as SessionInfo["method"],
    tokenId: row.token_id ?? undefined,
    scope: (row.scope as TokenScope | null) ?? undefined,
    remoteAddress: row.remote_address ?? undefined,
    oidcSid: row.oidc_sid ?? undefined,
    createdMs: row.created_at.getTime(),
    refreshedMs: row.refreshed_at.getTime(),
    endsMs: row.ends_at.getTime(),
  };
}

function toTokenRecord(row: Selectable<Tables["session_token"]>): SessionTokenRecord {
  return {
    sha256: row.secret_sha256,
    sessionId: row.session_id,
    kind: row.kind as SessionTokenRecord["kind"],
    expiresMs: row.expires_at.getTime(),
    usedMs: row.used_at?.getTime(),
  };
}

function toRow(token: SessionTokenRecord): {
  secret_sha256: string;
  session_id: string;
  kind: string;
  expires_at: Date;
  used_at: Date | null;
} {
  return {
    secret_sha256: token.sha256,
    session_id: token.sessionId,
    kind: token.kind,
    expires_at: new Date(token.expiresMs),
    used_at: token.usedMs === undefined ? null : new Date(token.usedMs),
  };
}
