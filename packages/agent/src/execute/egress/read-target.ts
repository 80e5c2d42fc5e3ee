import { type HostAndPort, normalHost } from "../../policy/index.ts";
import { egressErrors } from "./errors.ts";

export interface Target extends Required<HostAndPort> {
  readonly host: string;
  readonly port: number;
  /** As people read it, and as it stands in `Host`. */
  readonly name: string;
}

/** `HOST:PORT` of a CONNECT. */
export function readAuthority(text: string): Target {
  return readTarget(text, undefined);
}

/** An address in full, as proxies get it. Throws EGRESS_REQUEST_INVALID. */
export function readAddress(text: string): { readonly target: Target; readonly path: string } {
  const [, authority, path = ""] = /^http:\/\/([^/?#@\\]+)([/?][^#]*)?$/i.exec(text) ?? [];
  if (authority === undefined) throw invalid("it isn't for an http:// address");
  return { target: readTarget(authority, 80), path: path.startsWith("/") ? path : `/${path}` };
}

function readTarget(text: string, defaultPort: number | undefined): Target {
  const [, name = "", digits] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = normalHost(name);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined) throw invalid("its host isn't valid");
  if (port === undefined || port < 1 || port > 65_535) throw invalid("its port isn't valid");
  const shown = host.includes(":") ? `[${host}]` : host;
  return { host, port, name: digits === undefined ? shown : `${shown}:${port}` };
}

function invalid(detail: string): Error {
  return egressErrors.EGRESS_REQUEST_INVALID({ detail });
}
