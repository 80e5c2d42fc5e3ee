import { hash } from "node:crypto";
import { createSecret, tokenPrefixes } from "@fairlead/kernel";
import { tokenErrors } from "./errors.ts";

export interface NewToken {
  /** Leaves the hub once and is kept nowhere. */
  readonly token: string;
  readonly sha256: string;
}

/** An admin token has no end. */
export type WantedNewToken =
  | { readonly kind: "admin" }
  | { readonly kind: "session" | "refresh" | "robot"; readonly endsMs: number };

export function createToken(wanted: WantedNewToken): NewToken {
  const secret = createSecret();
  const token = tokenPrefixes[wanted.kind] + (wanted.kind === "admin" ? secret : writeEnd(wanted, secret));
  return { token, sha256: hashToken(token) };
}

/** A plain hash is enough for 180 random bits: there is nothing to guess, and it costs a microsecond. */
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

/**
 * True when the text says an end that has passed. Anybody can make such a text, so that the answer says nothing about
 * tokens that were given out; the hub also knows it of tokens that it has forgotten.
 */
export function saysItIsOver(token: string, nowMs: number): boolean {
  const body = token.slice(prefixLength);
  const kind = (["session", "refresh", "robot"] as const).find((one) => token.startsWith(tokenPrefixes[one]));
  if (kind === undefined || !shape.test(token)) return false;
  const [end, sum] = [body.slice(0, endLength), body.slice(-sumLength)];
  return sum === sumOf(token.slice(0, -sumLength)) && readDigits(end) <= nowMs;
}

/** The end, random characters, and a checksum that tells the text from one without an end, which older hubs gave out. */
function writeEnd({ kind, endsMs }: Exclude<WantedNewToken, { kind: "admin" }>, secret: string): string {
  const body = writeDigits(endsMs, endLength) + secret.slice(0, randomLength);
  return body + sumOf(tokenPrefixes[kind] + body);
}

function sumOf(text: string): string {
  return writeDigits(Number.parseInt(hashToken(text).slice(0, 8), 16) % 32 ** sumLength, sumLength);
}

function writeDigits(value: number, length: number): string {
  let text = "";
  for (let left = Math.ceil(value); text.length < length; left = Math.floor(left / 32)) text = digits[left % 32] + text;
  return text;
}

function readDigits(text: string): number {
  return [...text].reduce((value, digit) => value * 32 + digits.indexOf(digit), 0);
}

/** Crockford's base32, as `createSecret` writes it. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const prefixLength = 4;
/** Milliseconds since the epoch. */
const endLength = 10;
const randomLength = 36;
const sumLength = 6;
const shape = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{52}$/;
const bearer = /^bearer +([\w-]{1,256})$/i;
