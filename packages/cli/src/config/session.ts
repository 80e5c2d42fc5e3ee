/** A sign-in as the file keeps it. Times are by this machine's clock, in milliseconds since the epoch. */
export interface StoredSession {
  readonly id: string;
  readonly accessToken: string;
  readonly accessTokenExpiresAt: number;
  /** From here on the access token is replaced, a little before its end. */
  readonly refreshAt: number;
  readonly refreshToken: string;
}

export function parseSession(value: unknown): StoredSession | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, accessToken, accessTokenExpiresAt, refreshAt, refreshToken } = value as Partial<StoredSession>;
  if (typeof id !== "string" || !isToken(accessToken) || !isToken(refreshToken)) return undefined;
  if (!Number.isFinite(accessTokenExpiresAt) || !Number.isFinite(refreshAt)) return undefined;
  return value as StoredSession;
}

/** True for a text that may stand in a header. */
function isToken(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}
