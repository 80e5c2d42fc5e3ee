import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { isFairleadError } from "@fairlead/kernel";
import { explainDialError } from "./explain.ts";
import { readExtraCa } from "./trust.ts";
import { openTunnel } from "./tunnel.ts";

/** Where the hub is and how to get there. */
export interface Route {
  readonly hub: URL;
  readonly proxy?: URL | undefined;
  /** PEM file of certificates to trust in addition, for the hub and for an https:// proxy; or `system`. */
  readonly caFile?: string | undefined;
}

export interface ConnectOptions {
  readonly route: Route;
  /**
   * The CA to trust, beside the route's own CA file, and the certificate to present; by default nothing is trusted.
   */
  readonly tls: Pick<ConnectionOptions, "cert" | "key" | "rejectUnauthorized"> & { readonly ca?: string | undefined };
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A TLS 1.3 connection to the hub, directly or through a proxy; fails with a coded error that says where. */
export async function connectHub(options: ConnectOptions): Promise<TLSSocket> {
  return await inTime(options, (abort) => connectUntil(options, abort));
}

/** Without TLS, and direct: for an agent whose mesh adds its own. */
export async function connectPlain(options: Omit<ConnectOptions, "tls">): Promise<Socket> {
  const { hostname, port } = options.route.hub;
  const host = hostname.replace(/^\[|\]$/g, "");
  return await inTime(options, (abort) =>
    untilConnected(connectTcp({ host, port: Number(port || 80) }), { event: "connect", abort }),
  );
}

async function inTime<Kind extends Socket>(
  { route, timeoutMs = 15_000, signal }: Omit<ConnectOptions, "tls">,
  open: (abort: AbortSignal) => Promise<Kind>,
): Promise<Kind> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const abort = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    return await open(abort);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isFairleadError(error) ? error : explainDialError(route.hub, error);
  }
}

async function connectUntil(options: ConnectOptions, abort: AbortSignal): Promise<TLSSocket> {
  const { hub, proxy, caFile } = options.route;
  const host = hub.hostname.replace(/^\[|\]$/g, "");
  const port = Number(hub.port || 443);
  const extraCa = await readExtraCa(caFile);
  const tunnel = proxy && (await openTunnel({ proxy, host, port, extraCa, signal: abort }));
  abort.throwIfAborted();
  const { ca, ...tls } = options.tls;
  const socket = connect({
    ...tls,
    ca: [...(ca === undefined ? [] : [ca]), ...extraCa],
    // Names are sent as SNI, addresses aren't; both are checked against the certificate.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tunnel ? { socket: tunnel } : { port }),
    minVersion: "TLSv1.3",
    ALPNProtocols: ["http/1.1"],
  });
  return await untilConnected(socket, { event: "secureConnect", abort, onFailed: () => tunnel?.destroy() });
}

function untilConnected<Kind extends Socket>(
  socket: Kind,
  options: { readonly event: string; readonly abort: AbortSignal; readonly onFailed?: () => void },
): Promise<Kind> {
  const { event, abort, onFailed } = options;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(abort.reason);
    const fail = (error?: unknown): void => {
      abort.removeEventListener("abort", onAbort);
      onFailed?.();
      reject(error instanceof Error ? error : new Error("closed during the handshake"));
    };
    abort.addEventListener("abort", onAbort, { once: true });
    // Stays on: a socket that breaks between here and its next owner must not be an unhandled error.
    socket.on("error", fail);
    socket.once("close", fail);
    socket.once(event, () => {
      abort.removeEventListener("abort", onAbort);
      socket.off("close", fail);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
