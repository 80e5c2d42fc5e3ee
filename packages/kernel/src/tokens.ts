/** Kinds of secrets that people and agents carry. The prefix makes a leaked one findable by scanners, and by `redact`. */
export type TokenKind = "join" | "admin" | "session" | "refresh" | "robot";

/** `flj_<id>_<secret>_<sha-256 of the hub CA's certificate, hex>`: what an agent needs for its first connection. */
export interface JoinToken {
  readonly id: string;
  readonly secret: string;
  readonly caFingerprint: string;
}

export function formatJoinToken(token: JoinToken): string {
  return `${tokenPrefixes.join}${token.id}_${token.secret}_${token.caFingerprint}`;
}

/** Undefined when the text isn't shaped like a join token. */
export function parseJoinToken(text: string): JoinToken | undefined {
  const match = /^flj_([0-9a-z]{8,64})_([0-9a-z]{26,64})_([0-9a-f]{64})$/.exec(text.trim());
  if (!match) return undefined;
  const [, id = "", secret = "", caFingerprint = ""] = match;
  return { id, secret, caFingerprint };
}

export const tokenPrefixes: Readonly<Record<TokenKind, string>> = {
  join: "flj_",
  admin: "fla_",
  session: "fls_",
  refresh: "flr_",
  robot: "flb_",
};
