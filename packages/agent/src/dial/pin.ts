// The first connection: look at the chain that the server presents without trusting it, and take the one certificate
// whose fingerprint travelled with the join token. Nothing is sent on this connection.
import { FairleadError, findPinnedCertificate } from "@fairlead/kernel";
import { connectHub, type Route } from "./connect.ts";

export async function findHubCa(options: {
  route: Route;
  /** SHA-256 of the CA certificate, hex. */
  fingerprint: string;
  signal?: AbortSignal | undefined;
}): Promise<string> {
  const { route, fingerprint, signal } = options;
  const socket = await connectHub({ route, tls: { rejectUnauthorized: false }, signal });
  const leaf = socket.getPeerCertificate(true);
  socket.destroy();
  const found = await findPinnedCertificate(leaf, fingerprint);
  if (!found) throw caMismatch(route.hub);
  return found.pem;
}

function caMismatch(hub: URL): FairleadError {
  return new FairleadError({
    code: "ENROLL_CA_MISMATCH",
    message: `What answers at ${hub.host} isn't the hub that made this token: its CA has another fingerprint.`,
    hint: "Check the hub address and that the token is from this hub. The token was not sent.",
    httpStatus: 502,
  });
}
