// Chooses the header lines of requests and answers that cross the agent. Lines stay unmerged and in order. Lines that
// say who a request is from are refused, by prefix and in any case: only the agent writes those (CVE-2021-31999 and its
// kin). Names listed in `Connection` are dropped from the stream's lines, never from ours.
import { namesCaller } from "@fairlead/kube";
import type { RawHeaders } from "@fairlead/protocol";
import { headerRefused, proxyErrors } from "./errors.ts";

export interface RequestLines {
  /** Flat name/value pairs for the API server; the caller adds its own. */
  readonly lines: string[];
  readonly contentLength: number | undefined;
  /** The body's length isn't known ahead. */
  readonly chunked: boolean;
  readonly upgradeTo: string | undefined;
  readonly hasAuditId: boolean;
}

export function readRequestLines(raw: RawHeaders): RequestLines {
  const lines: string[] = [];
  let contentLength: number | undefined;
  let chunked = false;
  let upgradeTo: string | undefined;
  let hasAuditId = false;
  let named: Set<string> | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    const value = raw[i + 1] ?? "";
    switch (judge(name)) {
      case "refuse":
        throw headerRefused(name);
      case "connection":
        named = addNames(named, value);
        break;
      case "content-length":
        contentLength = readLength(contentLength, value);
        break;
      case "transfer-encoding":
        chunked = true;
        break;
      case "upgrade":
        upgradeTo = value;
        break;
      case "subprotocol":
        if (value.toLowerCase().includes(bearerSubprotocol)) throw headerRefused(`${name}: ${bearerSubprotocol}…`);
        lines.push(name, value);
        break;
      case "audit-id":
        hasAuditId = true;
        lines.push(name, value);
        break;
      case "pass":
        lines.push(name, value);
        break;
      case "drop":
        break;
    }
  }
  return { lines: named ? without(lines, named) : lines, contentLength, chunked, upgradeTo, hasAuditId };
}

/** An answer's lines from the parser, without those that are about the connection to the API server. */
export function readResponseLines(raw: readonly Buffer[]): string[] {
  const lines: string[] = [];
  let named: Set<string> | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]?.toString("latin1") ?? "";
    const verdict = judge(name);
    if (verdict === "connection") named = addNames(named, raw[i + 1]?.toString("latin1") ?? "");
    if (verdict === "connection" || verdict === "drop" || verdict === "transfer-encoding" || verdict === "upgrade") {
      continue;
    }
    lines.push(name, raw[i + 1]?.toString("latin1") ?? "");
  }
  return named ? without(lines, named) : lines;
}

/** All lines, as they came: trailers, and the answer to an upgrade. */
export function readAllLines(raw: readonly Buffer[]): string[] {
  return raw.map((part) => part.toString("latin1"));
}

type Verdict =
  | "pass"
  | "drop"
  | "refuse"
  | "connection"
  | "content-length"
  | "transfer-encoding"
  | "upgrade"
  | "subprotocol"
  | "audit-id";

/** Judged once per spelling: clients send the same few names with every request. */
function judge(name: string): Verdict {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = judgeAnew(name.toLowerCase());
  if (verdicts.size < maxVerdicts && name.length <= 64) verdicts.set(name, verdict);
  return verdict;
}

function judgeAnew(name: string): Verdict {
  // Trimmed, so that a name with stray blanks can't pass as another one.
  const trimmed = name.trim();
  if (refusedNames.has(trimmed) || namesCaller(trimmed)) return "refuse";
  return special.get(name) ?? "pass";
}

function addNames(named: Set<string> | undefined, value: string): Set<string> | undefined {
  if (value === "keep-alive" || value === "close") return named;
  const names = named ?? new Set<string>();
  for (const token of value.split(",")) names.add(token.trim().toLowerCase());
  return names;
}

function without(lines: readonly string[], named: ReadonlySet<string>): string[] {
  return lines.filter((_, i) => !named.has((lines[i - (i % 2)] ?? "").toLowerCase()));
}

function readLength(before: number | undefined, value: string): number {
  if (!/^\d{1,15}$/.test(value))
    throw proxyErrors.PROXY_REQUEST_INVALID({ detail: "its content-length isn't a number" });
  const length = Number(value);
  if (before !== undefined && before !== length)
    throw proxyErrors.PROXY_REQUEST_INVALID({ detail: "it has two different content-lengths" });
  return length;
}

const verdicts = new Map<string, Verdict>();
const maxVerdicts = 1000;
const refusedNames = new Set(["authorization"]);
const bearerSubprotocol = "base64url.bearer.authorization.k8s.io";
const special = new Map<string, Verdict>([
  ["connection", "connection"],
  ["content-length", "content-length"],
  ["transfer-encoding", "transfer-encoding"],
  ["upgrade", "upgrade"],
  ["sec-websocket-protocol", "subprotocol"],
  ["audit-id", "audit-id"],
  // Ours names the API server; the rest is about one hop (RFC 9110 §7.6.1) or answered by the hub (Expect).
  ["host", "drop"],
  ["expect", "drop"],
  ["keep-alive", "drop"],
  ["proxy-connection", "drop"],
  ["proxy-authenticate", "drop"],
  ["proxy-authorization", "drop"],
  ["te", "drop"],
]);
