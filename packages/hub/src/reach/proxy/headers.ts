// Chooses the header lines that pass. They stay in order, in their case and unmerged: servers tell five lines from one.
import { namesCaller } from "@fairlead/kube";
import type { RawHeaders } from "@fairlead/protocol";
import { isReferenceHeader, locateHeader, type ReferenceBase, type ReferenceHeader } from "./locate.ts";

/**
 * The client's lines without what belongs to this hop or to its identity, and with the request's id and origin, which
 * the cluster's own audit log shows.
 */
export function passRequestHeaders(
  raw: RawHeaders,
  connection: string | undefined,
  requestId: string,
  remoteAddress?: string,
): string[] {
  const named = namesIn(connection);
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const { lower, isOfRequestHop } = factsOf(name);
    if (isOfRequestHop || named?.has(lower)) continue;
    kept.push(name, raw[index + 1] ?? "");
  }
  kept.push("X-Request-Id", requestId, "Audit-ID", requestId);
  if (remoteAddress !== undefined) kept.push("X-Forwarded-For", remoteAddress);
  return kept;
}

/** The answer's body can then be read on its way. */
export function dropAcceptEncoding(headers: readonly string[]): string[] {
  return dropNames(headers, (lower) => lower === "accept-encoding");
}

/** The same for a request that wants to become a byte pipe: `Upgrade` stays, and the browser's token goes. */
export function passUpgradeHeaders(
  raw: RawHeaders,
  options: { connection: string | undefined; upgrade: string; requestId: string; remoteAddress?: string | undefined },
): string[] {
  const kept: string[] = [];
  const passed = passRequestHeaders(raw, options.connection, options.requestId, options.remoteAddress);
  for (let index = 0; index + 1 < passed.length; index += 2) {
    const name = passed[index] ?? "";
    const value = passed[index + 1] ?? "";
    if (name.toLowerCase() !== "sec-websocket-protocol") kept.push(name, value);
    else {
      const protocols = withoutToken(value);
      if (protocols) kept.push(name, protocols);
    }
  }
  kept.push("Connection", "Upgrade", "Upgrade", options.upgrade);
  return kept;
}

/** Browsers can't set `Authorization` on a WebSocket; Kubernetes takes the token as a subprotocol instead. */
export function bearerOf(headers: {
  authorization?: string | undefined;
  "sec-websocket-protocol"?: string | undefined;
}): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization;
  const protocol = headers["sec-websocket-protocol"]?.split(",").find((item) => item.trim().startsWith(tokenProtocol));
  if (protocol === undefined) return undefined;
  return `Bearer ${Buffer.from(protocol.trim().slice(tokenProtocol.length), "base64url").toString("utf8")}`;
}

export interface PassedResponse {
  readonly headers: string[];
  /** -1 when the answer doesn't say, NaN when it can't be told. */
  readonly contentLength: number;
}

/** The API server's lines without those of its hop, and what they point to as the hub's clients reach it. */
export function passResponseHeaders(raw: RawHeaders, requestId: string, base: ReferenceBase): PassedResponse {
  let kept: string[] = [];
  let contentLength = -1;
  let connection: string | undefined;
  let trailer = false;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    const { lower, isOfResponseHop, reference } = factsOf(name);
    if (isOfResponseHop) {
      if (lower === "connection") connection = connection === undefined ? value : `${connection},${value}`;
      continue;
    }
    if (lower === "content-length") {
      // Each reader may believe another one of two lengths.
      contentLength = contentLength === -1 && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    }
    if (lower === "trailer") trailer = true;
    kept.push(name, reference === undefined ? value : locateHeader(reference, value, base));
  }
  const named = namesIn(connection);
  // A length and trailers can't both be: Node refuses the pair.
  if (named || (trailer && contentLength >= 0)) {
    kept = dropNames(kept, (lower) => named?.has(lower) === true || (lower === "trailer" && contentLength >= 0));
  }
  kept.push("X-Request-Id", requestId);
  return { headers: kept, contentLength };
}

/** For a body that is changed on its way: its length and its digests aren't what they were. */
export function dropBodyFacts(headers: readonly string[]): string[] {
  return dropNames(headers, (lower) => bodyFacts.has(lower));
}

/** Trailers are lines like others. Lines about the caller, or the end of a message, have no place among them. */
export function passTrailers(raw: RawHeaders): RawHeaders {
  return raw.length === 0 ? raw : dropNames(raw, (lower) => trailerDrops.has(lower) || namesCaller(lower));
}

function dropNames(raw: RawHeaders, isDropped: (lower: string) => boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (!isDropped((raw[index] ?? "").toLowerCase())) kept.push(raw[index] ?? "", raw[index + 1] ?? "");
  }
  return kept;
}

interface NameFacts {
  readonly lower: string;
  /** These are dropped from a request, as are lines that say who asks. */
  readonly isOfRequestHop: boolean;
  readonly isOfResponseHop: boolean;
  /** Its value points to something. */
  readonly reference: ReferenceHeader | undefined;
}

/** Looked at once per spelling: the same few names come with every request. */
function factsOf(name: string): NameFacts {
  const known = facts.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  const found: NameFacts = {
    lower,
    isOfRequestHop: requestDrops.has(lower) || namesCaller(lower),
    isOfResponseHop: responseDrops.has(lower),
    reference: isReferenceHeader(lower) ? lower : undefined,
  };
  if (facts.size < maxFacts && name.length <= 64) facts.set(name, found);
  return found;
}

/** The names that `Connection` declares to be of this hop; undefined for the usual values, which name none. */
function namesIn(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || usualConnection.test(connection)) return undefined;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

function withoutToken(protocols: string): string {
  if (!protocols.includes(tokenProtocol)) return protocols;
  const left = protocols.split(",").filter((item) => !item.trim().startsWith(tokenProtocol));
  return left.join(",").trim();
}

const facts = new Map<string, NameFacts>();
const maxFacts = 1_000;
const usualConnection = /^(?:keep-alive|close|upgrade)$/i;
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "transfer-encoding",
  "upgrade",
];
const requestDrops = new Set([
  ...hopByHop,
  "trailer",
  "authorization",
  "cookie",
  "cookie2",
  // The agent names the API server, and the hub has answered the expectation itself.
  "host",
  "expect",
  "http2-settings",
  // Written anew from the request's id, and from where it came.
  "x-request-id",
  "audit-id",
  "x-forwarded-for",
  "x-real-ip",
  "forwarded",
]);
const bodyFacts = new Set([
  "content-length",
  "content-md5",
  "digest",
  "content-digest",
  "repr-digest",
  "accept-ranges",
]);
const trailerDrops = new Set([...requestDrops, "content-length", "content-encoding", "content-type", "set-cookie"]);
// A cluster's answer must not set what belongs to the hub's own origin.
const responseDrops = new Set([
  ...hopByHop,
  "x-request-id",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security",
  "alt-svc",
  "clear-site-data",
  "service-worker-allowed",
  "public-key-pins",
]);
