// A connection to the hub, up to the open WebSocket: route, TLS with the agent's certificate, upgrade. Where TLS ends
// before the hub, the certificate doesn't arrive: then the hub asks for a proof, and gets one from then on.
import { type Clock, type FairleadError, isFairleadError } from "@fairlead/kernel";
import { hubCodes, linkPath, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket } from "ws";
import { connectHub, explainDialError, type Route, readRefusal } from "../dial/index.ts";
import type { IssuedIdentity } from "../identity/index.ts";
import { linkErrors } from "./errors.ts";
import { proveKey } from "./prove-key.ts";

export interface DialSocketOptions {
  readonly route: Route;
  readonly identity: IssuedIdentity;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Dials the hub with the agent's certificate, trusting the hub's own CA and what the route's CA file names. */
export async function dialSocket(options: DialSocketOptions): Promise<WebSocket> {
  const { route } = options;
  if (!askingForProof.has(route)) {
    try {
      return await upgrade(options, {});
    } catch (error) {
      if (!hubCodes.is(error, "LINK_PROOF_REQUIRED")) throw error;
      askingForProof.add(route);
    }
  }
  return await upgrade(options, await proveKey(options));
}

/** Routes at whose end the hub asked for a proof; they are few and live as long as the process. */
const askingForProof = new WeakSet<Route>();

async function upgrade(options: DialSocketOptions, headers: Readonly<Record<string, string>>): Promise<WebSocket> {
  const { route, identity, clock, signal, timeoutMs = 15_000 } = options;
  const { hub } = route;
  const tls = { ca: identity.caPem, cert: identity.certificateChainPem, key: identity.keyPem };
  const connection = await connectHub({ route, tls, signal, timeoutMs });
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
  return `wss://${hub.host}${hub.pathname.replace(/\/+$/, "")}${linkPath}`;
}

function explainSocketError(hub: URL, error: unknown): FairleadError {
  if (error instanceof Error && error.message.includes("subprotocol"))
    return linkErrors.LINK_SUBPROTOCOL_REFUSED({ host: hub.host, subprotocol: linkSubprotocol, cause: error });
  return explainDialError(hub, error);
}
