// Hosts as the policy's author writes them: `example.com`, `*.example.com`, `example.com:8443`, `127.0.0.1:*`, `[::1]:80`.
// `*` stands for label characters and dots alone, so that no host can hold what ends a host elsewhere. Pure.
import { isIP } from "node:net";

export interface HostAndPort {
  /** A name, or an address; an IPv6 one with or without brackets. */
  readonly host: string;
  /** Undefined where whoever asks doesn't know it: a pattern that names a port doesn't match then. */
  readonly port?: number | undefined;
}

/** A pattern without a port covers all of them. */
export function matchesHost(pattern: string, { host, port }: HostAndPort): boolean {
  const wanted = readHostPattern(pattern);
  const name = normalHost(host);
  if (wanted === undefined || name === undefined) return false;
  if (wanted.port !== undefined && (port === undefined || (wanted.port !== "*" && Number(wanted.port) !== port)))
    return false;
  return matchesName(wanted.host, name);
}

/** The pattern names exactly this host, and says which port: only so can it open something on the agent's machine. */
export function namesLiterally(pattern: string, { host, port }: HostAndPort): boolean {
  const wanted = readHostPattern(pattern);
  return wanted?.port !== undefined && wanted.host === normalHost(host) && matchesHost(pattern, { host, port });
}

/** `*` matches label characters and dots. */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === "*") return true;
  if (!pattern.includes("*")) return pattern === name;
  const parts = pattern.split("*").map((part) => part.replace(/[^\w]/g, "\\$&"));
  return new RegExp(`^${parts.join("[a-z0-9_.-]*")}$`).test(name);
}

/** A place on the agent's own machine, by its name or address. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\.\d+\.\d+\.\d+$/.test(name);
}

export function isHostPattern(text: string): boolean {
  return readHostPattern(text) !== undefined;
}

/** In lower case, without brackets and without the dot of the root. Undefined for what is no host. */
export function normalHost(host: string): string | undefined {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (bare.includes(":")) return /^[0-9a-f:.]{2,45}$/.test(bare) ? bare : undefined;
  const name = bare.replace(/\.$/, "");
  // Some read `2130706433` and `0x7f.1` as addresses, and some as names: nobody may ask for these.
  if (/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name) && isIP(name) === 0) return undefined;
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name) && name.length <= 253 ? name : undefined;
}

export function readHostPattern(
  pattern: string,
): { readonly host: string; readonly port: string | undefined } | undefined {
  const found = /^(?<host>\[[0-9a-fA-F:.]+\]|[\w.*-]+)(?::(?<port>\d{1,5}|\*))?$/.exec(pattern)?.groups;
  if (found?.["host"] === undefined) return undefined;
  const host = found["host"]
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return host === "" ? undefined : { host, port: found["port"] };
}
