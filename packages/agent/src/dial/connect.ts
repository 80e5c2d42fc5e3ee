import { isIP } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { isFairleadError } from "@fairlead/kernel";
import { explainDialError } from "./explain.ts";
import { openTunnel } from "./tunnel.ts";

/** Where the hub is and how to get there. */
export interface Route {
  readonly hub: URL;
  readonly proxy?: URL | undefined;
}

export interface ConnectOptions {
  readonly route: Route;
  /** What to trust and what to present; by default nothing is trusted. */
  readonly tls: Pick<ConnectionOptions, "ca" | "cert" | "key" | "rejectUnauthorized">;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A TLS 1.3 connection to the hub, directly or through a proxy; fails with a coded error that says where. */
export async function connectHub(options: ConnectOptions): Promise<TLSSocket> {
  const { route, timeoutMs = 15_000, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const abort = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    return await connectUntil(options, abort);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isFairleadError(error) ? error : explainDialError(route.hub, error);
  }
}

async function connectUntil(options: ConnectOptions, abort: AbortSignal): Promise<TLSSocket> {
  const { hub, proxy } = options.route;
  const host = hub.hostname.replace(/^\[|\]$/g, "");
  const port = Number(hub.port || 443);
  const tunnel = proxy && (await openTunnel({ proxy, host, port, signal: abort }));
  abort.throwIfAborted();
  const socket = connect({
    ...options.tls,
    // Names are sent as SNI, addresses aren't; both are checked against the certificate.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tunnel ? { socket: tunnel } : { port }),
    minVersion: "TLSv1.3",
    ALPNProtocols: ["http/1.1"],
  });
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(abort.reason);
    const fail = (error?: unknown): void => {
      abort.removeEventListener("abort", onAbort);
      tunnel?.destroy();
      reject(error instanceof Error ? error : new Error("closed during the handshake"));
    };
    abort.addEventListener("abort", onAbort, { once: true });
    // Stays on: a socket that breaks between here and its next owner must not be an unhandled error.
    socket.on("error", fail);
    socket.once("close", fail);
    socket.once("secureConnect", () => {
      abort.removeEventListener("abort", onAbort);
      socket.off("close", fail);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
