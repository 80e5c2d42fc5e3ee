// The JSON payloads of streams: OPEN, HEAD and TRAILERS. Unknown members are ignored, so a newer peer may add some.
// All that reaches a consumer has been checked here: no line can smuggle another one in.
import { isDnsLabel } from "@fairlead/kernel";
import { parseIdentity } from "./caller-identity.ts";
import type { OpenHead, RawHeaders, ResponseHead, StreamTarget } from "./head-types.ts";
import { isCount, parseJson, parseObject } from "./json.ts";

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
    cluster: open.cluster,
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
  const { cluster } = value;
  if (cluster !== undefined && !(typeof cluster === "string" && isDnsLabel(cluster))) return malformed("cluster");
  // An identity that can't be read must not pass as none.
  const identity = value["identity"] === undefined ? undefined : parseIdentity(value["identity"]);
  if (identity === "malformed") return malformed("identity");
  return {
    kind: "open",
    open: { target: target as StreamTarget, method, path, headers, upgrade, requestId, deadlineMs, identity, cluster },
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

function malformed(text: string): ParsedOpen {
  return { kind: "malformed", text };
}

const targets: ReadonlySet<string> = new Set<StreamTarget>(["kubernetes", "rpc", "link"]);
const maxDeadlineMs = 86_400_000;
// RFC 9110 tokens; values are anything that ends no line. Node hands out latin-1, so U+0080–U+00FF is legal.
const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what must not pass
const linePattern = /^[^\x00-\x08\x0a-\x1f\x7f\u0100-\uffff]*$/;
const methodPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;
const pathPattern = /^\/[\x21-\x7e\x80-\xff]*$/;
const idPattern = /^[\x21-\x7e]{0,128}$/;
