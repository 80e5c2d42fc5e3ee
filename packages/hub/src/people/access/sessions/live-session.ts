// A session in memory, and the pair of tokens that it gives out.
import type { Principal } from "../policy/index.ts";
import { createToken } from "../tokens/index.ts";
import type { SessionRecord, SessionTokenRecord } from "./store.ts";

/** The only time that its tokens are seen. */
export interface IssuedSession {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly accessExpiresMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresMs: number;
}

export interface LiveSession {
  record: SessionRecord;
  readonly principal: Principal;
  /** Hashes, oldest first. */
  readonly tokens: Set<string>;
}

/** Before anyone has seen it. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accessExpiresMs: number;
  readonly tokens: readonly SessionTokenRecord[];
}

export function toLive(record: SessionRecord): LiveSession {
  const { id, kind, name, uid, groups, tokenId, scope, endsMs } = record;
  return {
    record,
    tokens: new Set(),
    principal: {
      kind,
      name,
      uid,
      groups,
      sessionId: id,
      endsAt: endsMs,
      ...(tokenId === undefined ? {} : { tokenId }),
      ...(scope === undefined ? {} : { scope }),
    },
  };
}

export function showPair({ principal, record }: LiveSession, pair: TokenPair): IssuedSession {
  const { accessToken, accessExpiresMs, refreshToken } = pair;
  return {
    principal,
    sessionId: record.id,
    accessToken,
    accessExpiresMs,
    refreshToken,
    refreshExpiresMs: record.endsMs,
  };
}

export function createPair(
  record: SessionRecord,
  times: { readonly nowMs: number; readonly accessTtlMs: number },
): TokenPair {
  const accessExpiresMs = Math.min(times.nowMs + times.accessTtlMs, record.endsMs);
  const accessToken = createToken({ kind: "session", endsMs: accessExpiresMs });
  const refreshToken = createToken({ kind: "refresh", endsMs: record.endsMs });
  const base = { sessionId: record.id, usedMs: undefined };
  return {
    accessToken: accessToken.token,
    refreshToken: refreshToken.token,
    accessExpiresMs,
    tokens: [
      { ...base, kind: "access", sha256: accessToken.sha256, expiresMs: accessExpiresMs },
      { ...base, kind: "refresh", sha256: refreshToken.sha256, expiresMs: record.endsMs },
    ],
  };
}
