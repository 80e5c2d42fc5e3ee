// The address of a database of somebody else, as `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`. Nothing here
// repeats the text in an error, since it may hold a password.
import { isIP } from "node:net";
import { urlInvalid } from "./errors.ts";

/** The modes are libpq's. `allow` and `prefer` are refused: anyone on the way can talk them out of TLS. */
export type TlsMode = "disable" | "require" | "verify-ca" | "verify-full";

export interface DatabaseAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: TlsMode;
}

/** Throws STORE_URL_INVALID. */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = toUrl(text.trim());
  const unknown = [...url.searchParams.keys()].find((name) => name !== "host" && name !== "sslmode");
  if (unknown !== undefined) throw urlInvalid("it has a parameter other than sslmode and host");
  const host = decode(url.searchParams.get("host") ?? url.hostname).replace(/^\[|\]$/g, "");
  const [user, database] = [decode(url.username), decode(url.pathname.slice(1))];
  if (host === "") throw urlInvalid("it names no host");
  if (host.includes(",")) throw urlInvalid("it names several hosts");
  if (user === "") throw urlInvalid("it names no user");
  if (database === "" || database.includes("/")) throw urlInvalid("it names no database");
  const port = url.port === "" ? defaultPort : Number(url.port);
  return { host, port, user, password: decode(url.password), database, tls: chooseTls(url, host) };
}

/** Gives the text for logs and messages. */
export function showAddress({ host, port, database }: DatabaseAddress): string {
  const place = isSocketFolder(host) ? host : `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return `${database} at ${place}`;
}

function isSocketFolder(host: string): boolean {
  return host.startsWith("/");
}

function toUrl(text: string): URL {
  // A URL with a user and no host isn't one, but people write it for sockets.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)\//, "$1socket/");
  if (!/^postgres(?:ql)?:\/\//.test(whole)) throw urlInvalid("it doesn't begin with postgres://");
  if (!URL.canParse(whole)) throw urlInvalid("it can't be read");
  const url = new URL(whole);
  if (whole !== text && !url.searchParams.has("host")) throw urlInvalid("it names no host");
  if (url.hash !== "") throw urlInvalid("it has a #, which is written as %23");
  return url;
}

function chooseTls(url: URL, host: string): TlsMode {
  // Data on a socket passes nobody.
  if (isSocketFolder(host)) return "disable";
  const mode = url.searchParams.get("sslmode") ?? (isLoopback(host) ? "disable" : "verify-full");
  if (!isTlsMode(mode)) throw urlInvalid("its sslmode isn't disable, require, verify-ca or verify-full");
  return mode;
}

function isTlsMode(text: string): text is TlsMode {
  return ["disable", "require", "verify-ca", "verify-full"].includes(text);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw urlInvalid("it has a % that isn't followed by two hexadecimal digits; write %25 for it");
  }
}

const defaultPort = 5_432;
