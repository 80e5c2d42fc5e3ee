// Addresses as the policy's author writes them: `https://*.example.com/team/*`, `oci://registry.example.com/team`,
// `git::https://git.example.com/*`, `registry.opentofu.org/ours/*`, `inline`. Scheme, user, host, port and path are
// compared apart, so that a `*` in one of them never reaches into the next. Pure.
import { matchesName, normalHost, readHostPattern } from "./host-pattern.ts";

/** A pattern without a path covers every path of its host. With `below` it covers what lies below its path, too. */
export function matchesAddress(pattern: string, address: string, options: { readonly below?: boolean } = {}): boolean {
  if (pattern === "*") return true;
  const wanted = readAddressPattern(pattern);
  const found = splitAddress(address);
  if (wanted === undefined || found === undefined || hasDotSegments(found.path)) return false;
  const host = found.host === "" ? "" : normalHost(found.host);
  if (host === undefined || !matchesScheme(wanted.scheme, found.scheme)) return false;
  if (wanted.user !== "*" && wanted.user !== found.user) return false;
  if (!matchesName(wanted.host, host)) return false;
  if (wanted.port !== "*" && portOf(found) !== (wanted.port ?? defaultPortOf(found))) return false;
  return matchesPath(wanted, found, options.below === true);
}

export function isAddressPattern(text: string): boolean {
  return text === "*" || readAddressPattern(text) !== undefined;
}

/** `HOST` or `HOST:PORT` of a pattern, with the port of its scheme; undefined where it is for every host. */
export function hostOfAddress(pattern: string): string | undefined {
  const parts = readAddressPattern(pattern);
  if (parts === undefined || parts.scheme === "" || /^[*.]*$/.test(parts.host)) return undefined;
  const shown = parts.host.includes(":") ? `[${parts.host}]` : parts.host;
  const known = portOf(parts);
  return known === undefined ? shown : `${shown}:${known}`;
}

interface AddressParts {
  /** Empty where there is none: `registry.opentofu.org/ours/web/aws`. */
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly port: string | undefined;
  /** From its first `/` on; empty where there is none. */
  readonly path: string;
  /** Without the question mark; undefined where there is none. */
  readonly query: string | undefined;
}

function readAddressPattern(pattern: string): AddressParts | undefined {
  const parts = splitAddress(pattern);
  if (parts === undefined) return undefined;
  if (parts.host === "") return parts;
  const { host } = readHostPattern(parts.host) ?? {};
  return host === undefined ? undefined : { ...parts, host };
}

/** Undefined for what could be read in two ways: blanks, backslashes, two users, a fragment. */
function splitAddress(text: string): AddressParts | undefined {
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\#]/.test(text)) return undefined;
  const found = addressForm.exec(asUrl(text))?.groups;
  if (found === undefined) return undefined;
  const { scheme = "", user = "", host = "", port, path = "", query } = found;
  return { scheme: scheme.toLowerCase(), user, host, port, path, query };
}

/** `git@HOST:PATH` is what git calls an address of SSH. */
function asUrl(text: string): string {
  const [, user = "git", host, path] =
    /^(?:([\w.-]+)@)?([\w.*-]+):(?!(?:\/\/|(?:\d{1,5}|\*)(?:\/|$)))(?!:)(.+)$/.exec(text) ?? [];
  return host === undefined || text.includes("://") ? text : `ssh://${user}@${host}/${path?.replace(/^\//, "")}`;
}

function matchesScheme(wanted: string, found: string): boolean {
  if (!wanted.includes("*")) return wanted === found;
  return found !== "" && new RegExp(`^${escapeText(wanted).replaceAll("\\*", "[a-z0-9+.:-]*")}$`).test(found);
}

function matchesPath(wanted: AddressParts, found: AddressParts, below: boolean): boolean {
  if (wanted.path === "" && wanted.query === undefined) return true;
  const path = below ? wanted.path.replace(/\/+$/, "") : wanted.path;
  const isHere = matchesRun(path, found.path) || (below && matchesRun(`${path}/*`, found.path));
  if (!isHere) return false;
  // What stands behind the question mark chooses no other place: the end of a path that is open covers it.
  if (wanted.query === undefined) return found.query === undefined || below || wanted.path.endsWith("*");
  return found.query !== undefined && matchesRun(wanted.query, found.query);
}

function matchesRun(pattern: string, text: string): boolean {
  return new RegExp(`^${escapeText(pattern).replaceAll("\\*", ".*")}$`).test(text);
}

/** However it is spelled: a server takes it for the folder above. */
function hasDotSegments(path: string): boolean {
  return path.split(/\/|%2f|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}

function portOf(parts: AddressParts): string | undefined {
  return parts.port ?? defaultPortOf(parts);
}

function defaultPortOf({ scheme }: AddressParts): string | undefined {
  return defaultPorts.get(transportOf(scheme));
}

/** `git::https` and `oci` come by HTTPS. */
function transportOf(scheme: string): string {
  return scheme === "oci" ? "https" : (scheme.split("::").at(-1) ?? scheme);
}

function escapeText(text: string): string {
  return text.replace(/[^\w]/g, "\\$&");
}

const scheme = "[A-Za-z*][A-Za-z0-9+.*-]*";
const addressForm = new RegExp(
  [
    `^(?:(?<scheme>${scheme}(?:::${scheme})?)://)?`,
    "(?:(?<user>[^@/?]*)@)?",
    "(?<host>\\[[^\\]@/?]*\\]|[^@/?:[\\]]*)",
    "(?::(?<port>\\d{1,5}|\\*))?",
    "(?<path>/[^?]*)?",
    "(?:\\?(?<query>.*))?$",
  ].join(""),
);

const defaultPorts = new Map([
  ["https", "443"],
  ["http", "80"],
  ["ssh", "22"],
]);
