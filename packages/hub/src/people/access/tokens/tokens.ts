import { hash } from "node:crypto";
import { createSecret, tokenPrefixes } from "@fairlead/kernel";
import { tokenErrors } from "./errors.ts";

export interface NewToken {
  /** Leaves the hub once and is kept nowhere. */
  readonly token: string;
  readonly sha256: string;
}

export function createToken(kind: "admin" | "session" | "refresh" | "robot"): NewToken {
  const token = tokenPrefixes[kind] + createSecret();
  return { token, sha256: hashToken(token) };
}

/** A plain hash is enough for 256 random bits: there is nothing to guess, and it costs a microsecond. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

export function readBearerToken(authorization: string | undefined): string {
  const match = bearer.exec(authorization?.trim() ?? "");
  if (match?.[1] !== undefined) return match[1];
  throw authorization ? tokenErrors.AUTH_INVALID() : tokenErrors.AUTH_REQUIRED();
}

/** Undefined for a text that no hub has ever given out. */
export function readTokenKind(token: string): "session" | "robot" | "admin" | undefined {
  if (!shape.test(token)) return undefined;
  return (["session", "robot", "admin"] as const).find((kind) => token.startsWith(tokenPrefixes[kind]));
}

const shape = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{52}$/;
const bearer = /^bearer +([\w-]{1,256})$/i;
