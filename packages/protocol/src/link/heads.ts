// The JSON payloads: OPEN, HEAD, TRAILERS, SETTINGS, GOAWAY. Unknown members are ignored, so a newer peer may add some.
// Whatever reaches a consumer has been checked here: no line can smuggle another one in.
import { parseIdentity } from "./caller-identity.ts";
import { frameInvalid } from "./errors.ts";
import type { GoAway, OpenHead, RawHeaders, ResponseHead, StreamTarget } from "./types.ts";

export interface PeerSettings {
  /** Link protocol versions that the sender speaks. */
  readonly versions: readonly number[];
  /** Streams that the sender lets us have open at once. */
  readonly streams: number;
  /** The sender can go on with the link on another connection. */
  readonly resume: boolean;
  /** By the side that was dialled, when both resume: the name to ask for. As good as a key: never shown. */
  readonly session?: string | undefined;
  /** Connections that the sender takes for one link. */
  readonly lanes: number;
}

export const protocolVersions: readonly number[] = [1];

export type ParsedOpen =
  | { readonly kind: "open"; readonly open: OpenHead; readonly windowBytes: number }
  | { readonly kind: "unknown-target" }
  | { readonly kind: "malformed"; readonly text: string };

export function formatOpen(open: OpenHead, windowBytes: number): string {
  return JSON.stringify({
    target: open.target,
    method: open.method,
    path: open.path,
    headers: open.headers,
    upgrade: open.upgrade,
    requestId: open.requestId,
    deadlineMs: open.deadlineMs,
    identity: open.identity,
    window: windowBytes,
  });
}

export function parseOpen(json: string): ParsedOpen {
  const value = parseObject(json);
  if (!value) return malformed("not a JSON object");
  const { target, method, path, headers, upgrade, requestId, deadlineMs, window } = value;
  if (typeof target !== "string") return malformed("target");
  if (!targets.has(target)) return { kind: "unknown-target" };
  if (typeof method !== "string" || !methodPattern.test(method)) return malformed("method");
  if (typeof path !== "string" || !pathPattern.test(path)) return malformed("path");
  if (!isRawHeaders(headers)) return malformed("headers");
  if (typeof upgrade !== "boolean") return malformed("upgrade");
  if (!isRequestId(requestId)) return malformed("requestId");
  if (!isDeadline(deadlineMs)) return malformed("deadlineMs");
  if (!isCount(window)) return malformed("window");
  // What claims to be an identity and isn't one must not pass as no identity.
  const identity = value["identity"] === undefined ? undefined : parseIdentity(value["identity"]);
  if (identity === "malformed") return malformed("identity");
  return {
    kind: "open",
    open: { target: target as StreamTarget, method, path, headers, upgrade, requestId, deadlineMs, identity },
    windowBytes: window,
  };
}

export function formatHead(head: ResponseHead): string {
  return JSON.stringify({ status: head.status, headers: head.headers });
}

export function parseHead(json: string): ResponseHead | undefined {
  const value = parseObject(json);
  if (!value) return undefined;
  const { status, headers } = value;
  if (!isFinalStatus(status) || !isRawHeaders(headers)) return undefined;
  return { status, headers };
}

/** 101 or a final status: other 1xx answers are the acceptor's to swallow. */
export function isFinalStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && (status === 101 || (status >= 200 && status <= 999));
}

export function formatTrailers(trailers: RawHeaders): string {
  return JSON.stringify(trailers);
}

export function parseTrailers(json: string): RawHeaders | undefined {
  const value = parseJson(json);
  return isRawHeaders(value) ? value : undefined;
}

export function formatSettings(settings: PeerSettings): string {
  return JSON.stringify(settings);
}

/** Lenient but for its shape: what is missing keeps the default that every peer of this protocol has. */
export function parseSettings(json: string): PeerSettings {
  const value = parseObject(json);
  if (!value) throw frameInvalid("settings");
  const { versions = [1], streams, resume, session, lanes } = value;
  if (!Array.isArray(versions) || !versions.every(isCount)) throw frameInvalid("settings: versions");
  return {
    versions,
    streams: isCount(streams) ? streams : defaultPeerSettings.streams,
    resume: resume === true,
    session: isSessionId(session) ? session : undefined,
    lanes: isCount(lanes) && lanes > 0 ? lanes : 1,
  };
}

/** What holds until the peer's SETTINGS are here. */
export const defaultPeerSettings: PeerSettings = { versions: [1], streams: 10_000, resume: false, lanes: 1 };

/** The first frame of a connection that goes on with a link, and the answer to it. */
export interface Resume {
  readonly session: string;
  readonly lane: number;
  /** The number of the last frame that the sender got on this lane. */
  readonly received: number;
}

export function formatResume(resume: Resume | Pick<Resume, "received">): string {
  return JSON.stringify(resume);
}

export function parseResume(json: string): Resume {
  const { session, lane } = parseObject(json) ?? {};
  if (!isSessionId(session) || !isCount(lane)) throw frameInvalid("RESUME");
  return { session, lane, received: parseResumeAnswer(json) };
}

export function parseResumeAnswer(json: string): number {
  const { received } = parseObject(json) ?? {};
  if (!Number.isSafeInteger(received) || (received as number) < 0) throw frameInvalid("RESUME");
  return received as number;
}

export function formatGoAway(message: GoAway): string {
  return JSON.stringify(message);
}

export function parseGoAway(json: string): GoAway {
  const value = parseObject(json);
  if (!value) throw frameInvalid("GOAWAY");
  const { reason, drainMs, reconnectAfterMs } = value;
  return {
    reason: typeof reason === "string" ? reason.slice(0, 256) : "",
    drainMs: isCount(drainMs) ? drainMs : 0,
    reconnectAfterMs: isCount(reconnectAfterMs) ? reconnectAfterMs : undefined,
  };
}

function isSessionId(value: unknown): value is string {
  return typeof value === "string" && sessionPattern.test(value);
}

export function isRequestId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

export function isDeadline(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= maxDeadlineMs;
}

function isRawHeaders(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length % 2 !== 0) return false;
  for (let at = 0; at < value.length; at += 2) {
    const name: unknown = value[at];
    const line: unknown = value[at + 1];
    if (typeof name !== "string" || !namePattern.test(name)) return false;
    if (typeof line !== "string" || !linePattern.test(line)) return false;
  }
  return true;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0x7fff_ffff;
}

function malformed(text: string): ParsedOpen {
  return { kind: "malformed", text };
}

function parseObject(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const targets: ReadonlySet<string> = new Set<StreamTarget>(["kubernetes", "rpc"]);
const maxDeadlineMs = 86_400_000;
// RFC 9110 tokens; values are anything that ends no line. Node hands out latin-1, so U+0080–U+00FF is legal.
const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what must not pass
const linePattern = /^[^\x00-\x08\x0a-\x1f\x7f\u0100-\uffff]*$/;
const methodPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;
const pathPattern = /^\/[\x21-\x7e\x80-\xff]*$/;
const sessionPattern = /^[A-Za-z0-9_-]{16,64}$/;
const idPattern = /^[\x21-\x7e]{0,128}$/;
