// The first connection: look at the chain that the server presents without trusting it, and take the one certificate
// whose fingerprint travelled with the join token. Nothing is sent on this connection.
import { isIP } from "node:net";
import { connect } from "node:tls";
import { FairleadError, findPinnedCertificate } from "@fairlead/kernel";
import { explainDialError } from "./explain.ts";

export async function findHubCa(options: {
  hub: URL;
  /** SHA-256 of the CA certificate, hex. */
  fingerprint: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}): Promise<string> {
  const { hub, fingerprint, timeoutMs = 15_000, signal } = options;
  const leaf = await presentedChain({ hub, timeoutMs, signal });
  const found = await findPinnedCertificate(leaf, fingerprint);
  if (!found) throw caMismatch(hub);
  return found.pem;
}

/** Host and port of the hub as `tls.connect` wants them; a name is sent as SNI, an address isn't. */
export function tlsTarget(hub: URL): { host: string; port: number; servername?: string } {
  const host = hub.hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(hub.port || 443), ...(isIP(host) === 0 && { servername: host }) };
}

type Chain = Parameters<typeof findPinnedCertificate>[0];

function presentedChain(options: { hub: URL; timeoutMs: number; signal: AbortSignal | undefined }): Promise<Chain> {
  const { hub, timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...tlsTarget(hub),
      rejectUnauthorized: false,
      minVersion: "TLSv1.3",
      ALPNProtocols: ["http/1.1"],
      timeout: timeoutMs,
    });
    const abort = (): void => void socket.destroy(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    socket.once("secureConnect", () => {
      resolve(socket.getPeerCertificate(true));
      socket.destroy();
    });
    socket.once("timeout", () => socket.destroy(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" })));
    socket.once("error", (error) => reject(signal?.aborted ? signal.reason : explainDialError(hub, error)));
    socket.once("close", () => {
      signal?.removeEventListener("abort", abort);
      reject(explainDialError(hub, new Error("closed during the handshake")));
    });
  });
}

function caMismatch(hub: URL): FairleadError {
  return new FairleadError({
    code: "ENROLL_CA_MISMATCH",
    message: `What answers at ${hub.host} isn't the hub that made this token: its CA has another fingerprint.`,
    hint: "Check the hub address and that the token is from this hub. The token was not sent.",
    httpStatus: 502,
  });
}
