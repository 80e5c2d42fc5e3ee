// The first connection: look at the chain that the server presents without trusting it, and take the one certificate
// whose fingerprint travelled with the join token. Nothing is sent on this connection.
import { findPinnedCertificate } from "@fairlead/kernel";
import { connectHub, type Route } from "./connect.ts";

/** The hub's CA, PEM; undefined when the chain doesn't hold it, as behind something that ends TLS before the hub. */
export async function findHubCa(options: {
  route: Route;
  /** SHA-256 of the CA certificate, hex. */
  fingerprint: string;
  signal?: AbortSignal | undefined;
}): Promise<string | undefined> {
  const { route, fingerprint, signal } = options;
  const socket = await connectHub({ route, tls: { rejectUnauthorized: false }, signal });
  const leaf = socket.getPeerCertificate(true);
  socket.destroy();
  return (await findPinnedCertificate(leaf, fingerprint))?.pem;
}
