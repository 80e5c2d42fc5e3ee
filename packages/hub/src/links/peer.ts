// Who dials: the TLS layer has checked the chain, the identity room says whether we still stand by the certificate.
// Where TLS may end before the hub, a signed proof stands for the certificate.
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { isFairleadError, toProblem } from "@fairlead/kernel";
import { linkCertificateHeader, linkProofHeader, linkSubprotocol } from "@fairlead/protocol";
import type { AgentIdentity } from "../identity/index.ts";
import { endSoon } from "../server/index.ts";
import { certificateRequired, certificateUntrusted, linkRequestInvalid, proofRequired } from "./errors.ts";
import type { LinkProofs } from "./proofs.ts";

export async function authenticateLink(
  req: IncomingMessage,
  socket: TLSSocket,
  doors: {
    readonly authenticatePeer: (certDer: Uint8Array) => Promise<AgentIdentity>;
    /** Undefined: a certificate that comes with the connection, or nothing. */
    readonly proofs?: LinkProofs | undefined;
  },
): Promise<AgentIdentity> {
  const { authenticatePeer, proofs } = doors;
  const offered = (req.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  if (req.method !== "GET") throw linkRequestInvalid("the method isn't GET");
  if (!offered.includes(linkSubprotocol)) throw linkRequestInvalid(`the subprotocol ${linkSubprotocol} isn't offered`);
  const raw = socket.getPeerCertificate().raw as Buffer | undefined;
  const certificate = req.headers[linkCertificateHeader];
  const proof = req.headers[linkProofHeader];
  // A balancer may show a certificate of its own: the proof speaks of who is behind it.
  if (proofs && typeof certificate === "string" && typeof proof === "string") {
    return await proofs.check({ certificate, proof });
  }
  if (!raw) throw proofs ? proofRequired() : certificateRequired();
  // The identity room knows more than TLS (revoked, expired, unknown): its answer goes first when it has one.
  const peer = await authenticatePeer(raw).catch((error: unknown) => {
    const isStranger = isFairleadError(error) && error.code === "IDENTITY_UNKNOWN";
    throw proofs && isStranger ? proofRequired() : error;
  });
  if (!socket.authorized) throw certificateUntrusted(String(socket.authorizationError ?? "unknown reason"));
  return peer;
}

/** Refuses with a problem before the 101, so that the agent can tell why. */
export function refuseLink(socket: TLSSocket, thrown: unknown): void {
  if (socket.destroyed) return;
  const problem = toProblem(thrown);
  const body = JSON.stringify(problem);
  const retry = isFairleadError(thrown) && thrown.retryable ? "Retry-After: 1\r\n" : "";
  endSoon(
    socket,
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `${retry}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
