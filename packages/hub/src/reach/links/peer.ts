// Authenticates the peer that dials. TLS has checked the chain; the identity room knows if the certificate still counts.
// A signed proof stands for the certificate where TLS may end before the hub. Where a mesh vouches for agents, its word is
// all that counts.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { FairleadError } from "@fairlead/kernel";
import { linkCertificateHeader, linkProofHeader, linkSubprotocol } from "@fairlead/protocol";
import { refuseUpgrade } from "../../platform/server/index.ts";
import { type AgentIdentity, identityErrors } from "../identity/index.ts";
import type { MeshIdentity } from "../mesh/index.ts";
import { linksErrors } from "./errors.ts";
import type { LinkProofs } from "./proofs.ts";
import type { Credential } from "./types.ts";

export interface AuthenticatedPeer {
  readonly peer: AgentIdentity;
  readonly credential: Credential;
}

export async function authenticateLink(
  req: IncomingMessage,
  socket: TLSSocket,
  doors: {
    readonly authenticatePeer: (certDer: Uint8Array) => Promise<AgentIdentity>;
    /** Undefined: a certificate that comes with the connection, or nothing. */
    readonly proofs?: LinkProofs | undefined;
    /** Then nothing else counts. */
    readonly mesh?: MeshIdentity | undefined;
  },
): Promise<AuthenticatedPeer> {
  const { authenticatePeer, proofs, mesh } = doors;
  const offered = (req.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  if (req.method !== "GET") throw linksErrors.LINK_REQUEST_INVALID({ reason: "the method isn't GET" });
  if (!offered.includes(linkSubprotocol)) {
    throw linksErrors.LINK_REQUEST_INVALID({ reason: `the subprotocol ${linkSubprotocol} isn't offered` });
  }
  if (mesh) {
    const { peer, claim } = await mesh.authenticate(req);
    return { peer, credential: { kind: "mesh", ...claim } };
  }
  const raw = socket.getPeerX509Certificate()?.raw;
  const certificate = req.headers[linkCertificateHeader];
  const proof = req.headers[linkProofHeader];
  // A balancer may show a certificate of its own: the proof speaks of who is behind it.
  if (proofs && typeof certificate === "string" && typeof proof === "string") {
    const peer = await proofs.check({ certificate, proof });
    return { peer, credential: { kind: "certificate", der: Buffer.from(certificate, "base64") } };
  }
  if (!raw) throw proofs ? linksErrors.LINK_PROOF_REQUIRED() : linksErrors.LINK_CERTIFICATE_REQUIRED();
  // The identity room knows more than TLS (revoked, expired, unknown): its answer goes first when it has one.
  const peer = await authenticatePeer(raw).catch((error: unknown) => {
    const isStranger = identityErrors.is(error, "IDENTITY_UNKNOWN");
    throw proofs && isStranger ? linksErrors.LINK_PROOF_REQUIRED() : error;
  });
  if (!socket.authorized) {
    const reason = String(socket.authorizationError ?? "unknown reason");
    throw linksErrors.LINK_CERTIFICATE_UNTRUSTED({ reason });
  }
  return { peer, credential: { kind: "certificate", der: raw } };
}

/** Refuses with a problem before the 101, so that the agent can tell why. */
export function refuseLink(socket: Socket, error: FairleadError): void {
  if (socket.destroyed) return;
  refuseUpgrade(socket, error, { statusText: error.code, headers: error.retryable ? ["Retry-After: 1"] : [] });
}
