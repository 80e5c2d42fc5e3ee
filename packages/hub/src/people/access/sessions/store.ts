import type { PrincipalKind, SessionInfo, TokenScope } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
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
  /** Without those that are over. */
  load(now: Date): Promise<{ sessions: SessionRecord[]; tokens: SessionTokenRecord[] }>;
  insert(session: SessionRecord, tokens: readonly SessionTokenRecord[]): Promise<void>;
  /** False when the session is gone. */
  rotate(rotation: {
    readonly sessionId: string;
    readonly usedSha256: string;
    readonly at: Date;
    readonly tokens: readonly SessionTokenRecord[];
    readonly forget: readonly string[];
  }): Promise<boolean>;
  remove(ids: readonly string[]): Promise<void>;
}

export function createSessionStore(db: Kysely<Tables>): SessionStore {
  return {
    async load(now) {
      await db.deleteFrom("session").where("ends_at", "<=", now).execute();
      const sessions = await db.selectFrom("session").selectAll().execute();
      const tokens = await db.selectFrom("session_token").selectAll().execute();
      return {
        sessions: sessions.map((row) => ({
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
        })),
        tokens: tokens.map((row) => ({
          sha256: row.secret_sha256,
          sessionId: row.session_id,
          kind: row.kind as SessionTokenRecord["kind"],
          expiresMs: row.expires_at.getTime(),
          usedMs: row.used_at?.getTime(),
        })),
      };
    },

    async insert(session, tokens) {
      await db.transaction().execute(async (trx) => {
        const { id, kind, name, uid, method } = session;
        await trx
          .insertInto("session")
          .values({
            ...{ id, kind, name, uid, method },
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

    async rotate({ sessionId, usedSha256, at, tokens, forget }) {
      return await db.transaction().execute(async (trx) => {
        // The session before its tokens, as its end does: the other way round two would wait for each other.
        const { numUpdatedRows } = await trx
          .updateTable("session")
          .set({ refreshed_at: at })
          .where("id", "=", sessionId)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await trx
          .updateTable("session_token")
          .set({ used_at: at })
          .where("secret_sha256", "=", usedSha256)
          .where("used_at", "is", null)
          .execute();
        if (forget.length > 0) await trx.deleteFrom("session_token").where("secret_sha256", "in", forget).execute();
        await trx.insertInto("session_token").values(tokens.map(toRow)).execute();
        return true;
      });
    },

    async remove(ids) {
      await db.deleteFrom("session").where("id", "in", ids).execute();
    },
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
