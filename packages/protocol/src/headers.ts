// Raw header lines (`[name, value, …]`), as both proxies handle them: order, case and repeated lines stay.
import type { RawHeaders } from "./link/index.ts";

/** RFC 9110 §7.6.1, and what older clients add. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Drops what belongs to one hop: the fixed set, and every name that a `Connection` line lists. Do this BEFORE identity
 * headers are set, or `Connection: Impersonate-User` takes the identity away again (CVE-2021-31999).
 */
export function dropHopByHop(raw: RawHeaders): string[] {
  let listed: Set<string> | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if ((raw[at] as string).toLowerCase() !== "connection") continue;
    listed ??= new Set();
    for (const token of (raw[at + 1] as string).split(",")) listed.add(token.trim().toLowerCase());
  }
  return dropNames(raw, (name) => hopByHopHeaders.has(name) || (listed?.has(name) ?? false));
}

/** The predicate gets lower-case names. */
export function dropNames(raw: RawHeaders, isDropped: (lowerCaseName: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!isDropped(name.toLowerCase())) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}

/** The first line with this name, any case. */
export function findHeader(raw: RawHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const candidate = raw[at] as string;
    if (candidate.length === wanted.length && candidate.toLowerCase() === wanted) return raw[at + 1];
  }
  return undefined;
}
