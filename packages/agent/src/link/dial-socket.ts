// A connection to the hub, up to the open WebSocket: route, TLS with the agent's certificate, upgrade. Where TLS ends
// before the hub, the certificate doesn't arrive: then the hub asks for a proof, and gets one from then on. An agent for
// which a mesh vouches shows nothing of its own.
import { type Clock, type FairleadError, isFairleadError } from "@fairlead/kernel";
import { hubCodes, linkPath, linkRolesHeader, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket } from "ws";
import {
  type ConnectOptions,
  connectHub,
  connectPlain,
  explainDialError,
  type Route,
  readRefusal,
} from "../dial/index.ts";
import type { LinkIdentity, MeshIdentity } from "../identity/index.ts";
import { linkErrors } from "./errors.ts";
import { proveKey } from "./prove-key.ts";

export interface DialSocketOptions {
  readonly route: Route;
  readonly identity: LinkIdentity;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Dials the hub with the agent's certificate, trusting the hub's own CA and what the route's CA file names. */
export async function dialSocket(options: DialSocketOptions): Promise<WebSocket> {
  const { route, identity } = options;
  if ("vouchedBy" in identity) return await dialInMesh(options, identity);
  const tls = { ca: identity.caPem, cert: identity.certificateChainPem, key: identity.keyPem };
  if (!askingForProof.has(route)) {
    try {
      return await upgrade(options, tls, {});
    } catch (error) {
      if (!hubCodes.is(error, "LINK_PROOF_REQUIRED")) throw error;
      askingForProof.add(route);
    }
  }
  return await upgrade(options, tls, await proveKey({ ...options, identity }));
}

async function dialInMesh(options: DialSocketOptions, { roles }: MeshIdentity): Promise<WebSocket> {
  try {
    return await upgrade(options, {}, { [linkRolesHeader]: roles.join() });
  } catch (error) {
    // It looks for a certificate: it wasn't told of the mesh.
    if (!hubCodes.is(error, "LINK_CERTIFICATE_REQUIRED", "LINK_PROOF_REQUIRED")) throw error;
    throw linkErrors.LINK_MESH_NOT_TAKEN({ host: options.route.hub.host, cause: error });
  }
}

/** Routes at whose end the hub asked for a proof; they are few and live as long as the process. */
const askingForProof = new WeakSet<Route>();

async function upgrade(
  options: Omit<DialSocketOptions, "identity">,
  tls: ConnectOptions["tls"],
  headers: Readonly<Record<string, string>>,
): Promise<WebSocket> {
  const { route, clock, signal, timeoutMs = 15_000 } = options;
  const { hub } = route;
  const isPlain = hub.protocol === "http:";
  const connection = await (isPlain ? connectPlain : connectHub)({ route, tls, signal, timeoutMs });
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(linkUrl(hub), [linkSubprotocol], {
      ...linkSocketOptions,
      headers,
      createConnection: () => connection,
      followRedirects: false,
    });
    const abort = (): void => socket.terminate();
    signal?.addEventListener("abort", abort, { once: true });
    // `ws` times only connections that it made itself.
    const cancel = clock.after(timeoutMs, abort);
    socket.once("open", () => {
      settle();
      resolve(socket);
    });
    socket.once("unexpected-response", (_request, response) => {
      readRefusal(response, hub)
        .then(fail, fail)
        .finally(() => connection.destroy());
    });
    socket.on("error", fail);

    function settle(): void {
      cancel();
      signal?.removeEventListener("abort", abort);
    }

    function fail(error: unknown): void {
      settle();
      if (signal?.aborted) reject(signal.reason);
      else reject(isFairleadError(error) ? error : explainSocketError(hub, error));
    }
  });
}

function linkUrl(hub: URL): string {
  return `${hub.protocol === "http:" ? "ws" : "wss"}://${hub.host}${hub.pathname.replace(/\/+$/, "")}${linkPath}`;
}

function explainSocketError(hub: URL, error: unknown): FairleadError {
  if (error instanceof Error && error.message.includes("subprotocol"))
    return linkErrors.LINK_SUBPROTOCOL_REFUSED({ host: hub.host, subprotocol: linkSubprotocol, cause: error });
  return explainDialError(hub, error);
}
