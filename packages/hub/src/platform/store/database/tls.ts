// The protection of a connection to a database of somebody else, as options of Node's TLS.
import { readFileSync } from "node:fs";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import type { DatabaseAddress } from "./url.ts";

/** Files are read for each connection, so that another authority counts without a restart. */
export function toTlsOptions(
  { tls, host }: DatabaseAddress,
  { caFile }: { readonly caFile?: string | undefined },
): ConnectionOptions | false {
  if (tls === "disable") return false;
  const options: ConnectionOptions = {
    minVersion: "TLSv1.2",
    // This follows libpq: `require` checks the chain when there is an authority to hold it to.
    rejectUnauthorized: tls !== "require" || caFile !== undefined,
    checkServerIdentity: (_, certificate) =>
      tls === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
  if (caFile === undefined) return options;
  return Object.defineProperty(options, "ca", { enumerable: true, get: () => readFileSync(caFile, "utf8") });
}

/** True when the certificate failed, or the way it is shown, rather than the network. */
export function isTlsError(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (
    typeof code === "string" &&
    /^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_)|^EPROTO$/.test(code)
  ) {
    return true;
  }
  return (
    typeof message === "string" &&
    /^The server does not support SSL|^There was an error establishing an SSL/.test(message)
  );
}
