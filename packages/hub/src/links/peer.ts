// Who dials: the TLS layer has checked the chain, the identity room says whether we still stand by the certificate.
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { isFairleadError, toProblem } from "@fairlead/kernel";
import { linkSubprotocol } from "@fairlead/protocol";
import type { AgentIdentity } from "../identity/index.ts";
import { endSoon } from "../server/index.ts";
import { certificateRequired, certificateUntrusted, linkRequestInvalid } from "./errors.ts";

export async function authenticateLink(
  req: IncomingMessage,
  socket: TLSSocket,
  authenticatePeer: (certDer: Uint8Array) => Promise<AgentIdentity>,
): Promise<AgentIdentity> {
  const offered = (req.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  if (req.method !== "GET") throw linkRequestInvalid("the method isn't GET");
  if (!offered.includes(linkSubprotocol)) throw linkRequestInvalid(`the subprotocol ${linkSubprotocol} isn't offered`);
  const raw = socket.getPeerCertificate().raw as Buffer | undefined;
  if (!raw) throw certificateRequired();
  // The identity room knows more than TLS (revoked, expired, unknown): its answer goes first when it has one.
  const peer = await authenticatePeer(raw);
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
