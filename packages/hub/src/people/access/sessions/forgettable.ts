import type { SessionTokenRecord } from "./store.ts";

/**
 * Access tokens that are over, and the oldest of very many: within its grace a refresh token gives any number. Takes a
 * session's tokens, the oldest first. Used refresh tokens stay: a thief who renews again and again mustn't have forgotten
 * the one by whose second coming he is found out.
 */
export function listForgettable(tokens: readonly SessionTokenRecord[], nowMs: number): string[] {
  const access = tokens.filter(({ kind }) => kind === "access");
  const refresh = tokens.filter(({ kind }) => kind === "refresh");
  return [
    ...access.filter(({ expiresMs }) => expiresMs <= nowMs),
    ...listOldest(
      access.filter(({ expiresMs }) => expiresMs > nowMs),
      maxFreshTokens,
    ),
    ...listOldest(
      refresh.filter(({ usedMs }) => usedMs === undefined),
      maxFreshTokens,
    ),
  ].map(({ sha256 }) => sha256);
}

/** All but so many of the newest. */
function listOldest(tokens: readonly SessionTokenRecord[], kept: number): readonly SessionTokenRecord[] {
  return tokens.slice(0, Math.max(0, tokens.length - kept));
}

/** Far more programs than one person runs at once. */
const maxFreshTokens = 100;
