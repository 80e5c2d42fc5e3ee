// Dials another hub: TLS 1.3 with both sides' certificates. The other side must show the certificate of the hub that is
// meant, whatever address leads to it, so that none can take another's place.
import { connect, type TLSSocket } from "node:tls";
import { reasonOf } from "@fairlead/kernel";
import { hubLinkPath, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket } from "ws";
import { parseListen } from "../../platform/server/index.ts";
import { hubsErrors } from "./errors.ts";
import type { HubIdentity } from "./identity.ts";
import type { OtherHub } from "./types.ts";

/** Throws HUB_UNREACHABLE, or the signal's reason. */
export async function dialHub(options: {
  readonly hub: OtherHub;
  readonly identity: HubIdentity;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}): Promise<WebSocket> {
  const { hub, identity, signal, timeoutMs } = options;
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await upgrade(await connectTls(hub, identity, until), identity.serverNameOf(hub.id), until);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw hubsErrors.HUB_UNREACHABLE({ address: hub.address, reason: reasonOf(error), cause: error });
  }
}

async function connectTls(hub: OtherHub, identity: HubIdentity, signal: AbortSignal): Promise<TLSSocket> {
  const { host, port } = parseListen(hub.address);
  const { certPem: cert, keyPem: key, caPem: ca } = await identity.current();
  signal.throwIfAborted();
  const socket = connect({
    host,
    port,
    cert,
    key,
    ca,
    servername: identity.serverNameOf(hub.id),
    minVersion: "TLSv1.3",
    ALPNProtocols: ["http/1.1"],
  });
  return await new Promise((resolve, reject) => {
    const abort = (): void => void socket.destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    // Stays on, so that a socket which breaks before its next owner listens is no unhandled error.
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("closed during the handshake")));
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", abort);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

async function upgrade(connection: TLSSocket, host: string, signal: AbortSignal): Promise<WebSocket> {
  return await new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://${host}${hubLinkPath}`, [linkSubprotocol], {
      ...linkSocketOptions,
      createConnection: () => connection,
      followRedirects: false,
    });
    const abort = (): void => socket.terminate();
    signal.addEventListener("abort", abort, { once: true });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      resolve(socket);
    });
    socket.on("error", (error) => {
      signal.removeEventListener("abort", abort);
      connection.destroy();
      reject(signal.aborted ? signal.reason : error);
    });
  });
}
