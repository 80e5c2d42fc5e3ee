// An HTTPS listener with limits that suit API traffic: no end to a request that moves, a bound on heads that don't.

import type { ServerOptions as HttpOptions, IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, type Server as HttpsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FairleadError } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import { boundConnections, type ConnectionBound } from "./connection-bound.ts";
import { endSoon } from "./end-soon.ts";
import { listenFailed, serverErrors } from "./errors.ts";
import { boundUnfinishedHeads } from "./unfinished-heads.ts";

export interface PlainListenerOptions {
  /** 0: a request may take for ever, as an upload or a watch does. */
  readonly requestTimeoutMs: number;
  /** How long a head may take, and how large it may get. */
  readonly heads?: HeadLimits;
  readonly bound?: ConnectionBound | undefined;
}

export interface ListenerOptions extends PlainListenerOptions {
  readonly tls: ServerOptions;
}

export interface HeadLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxLines?: number;
  readonly idleMs: number;
}

export function createListener(options: ListenerOptions): HttpsServer {
  // A connection that doesn't finish its handshake or its head holds a socket for so long at most.
  const server = createServer({ ...options.tls, handshakeTimeout: 10_000, ...toHttpOptions(options) });
  return guard(server, options);
}

/** For where something before the hub has ended TLS. */
export function createPlainListener(options: PlainListenerOptions): Server {
  return guard(nodeHttp.createServer(toHttpOptions(options)), options);
}

function toHttpOptions({ heads = headsOfPeople, ...options }: PlainListenerOptions): HttpOptions {
  return {
    headersTimeout: Math.min(heads.timeoutMs, options.requestTimeoutMs || Number.POSITIVE_INFINITY),
    connectionsCheckingInterval: 5_000,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: heads.idleMs,
    maxHeaderSize: heads.maxBytes,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
}

function guard<Listener extends Server>(server: Listener, { heads = headsOfPeople, bound }: PlainListenerOptions) {
  server.maxHeadersCount = heads.maxLines ?? 1_000;
  if (bound) {
    boundConnections(server, bound);
    const { trustedProxies } = bound;
    const refuse = (socket: Socket): void => endSoon(socket, formatRefusal(serverErrors.API_HEADERS_TOO_MANY()));
    if (heads.maxBytes > usualHeadBytes) boundUnfinishedHeads(server, { trustedProxies, refuse });
  }
  trackSockets(server);
  // First of all listeners, before anything of an answer is written.
  for (const event of ["request", "checkContinue"]) {
    server.on(event, (_req: IncomingMessage, res: ServerResponse) => {
      if (leaving.has(server)) res.shouldKeepAlive = false;
    });
  }
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("clientError", (error, socket) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ECONNRESET" || !socket.writable || isAnswering(socket)) return void socket.destroy();
    const limitKiB = Math.floor(heads.maxBytes / 1024);
    const refusal = code === "HPE_HEADER_OVERFLOW" ? serverErrors.API_HEADERS_TOO_LARGE({ limitKiB }) : undefined;
    endSoon(
      socket as Socket,
      formatRefusal(refusal ?? { httpStatus: code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400 }),
    );
  });
  return server;
}

/** Binds `host:port`, `[v6]:port` or `:port`, and answers with the port that it got. */
export async function startListening(server: Server, listen: string): Promise<number> {
  const { host, port } = parseListen(listen);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => reject(listenFailed(listen, error));
    server.once("error", fail);
    server.listen({ host, port, backlog }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** A closing listener still accepts for so long at most. In a flood the last connections are reset. */
const acceptMs = 500;
/** Connections that the kernel takes while the thread is busy. Further ones are dialled again a second later. */
const backlog = 4_096;

/** From now on every answer is the last one on its connection, so that clients come back by a new one. */
export function sendClientsAway(server: Server): void {
  leaving.add(server);
}

const leaving = new WeakSet<Server>();

/** Stops accepting and waits for what is in flight; `cut` ends the rest, upgraded connections included. */
export function stopListening(server: Server): { readonly closed: Promise<void>; readonly cut: () => void } {
  if (!server.listening) return { closed: Promise.resolve(), cut: () => undefined };
  const closed = untilAllAccepted(server).then(
    () => new Promise<void>((resolve) => void server.close(() => resolve())),
  );
  // A keep-alive connection becomes idle later than now.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = (): void => {
    for (const socket of openSockets.get(server) ?? []) socket.destroy();
  };
  return { closed: closed.finally(() => clearInterval(sweep)), cut };
}

/** To close a listener resets the connections that the kernel has taken and Node has not. Node takes one in each turn. */
async function untilAllAccepted(server: Server): Promise<void> {
  let isQuiet = false;
  const note = (): void => {
    isQuiet = false;
  };
  server.on("connection", note);
  const untilMs = performance.now() + acceptMs;
  while (!isQuiet && performance.now() < untilMs) {
    isQuiet = true;
    // The rest of this turn, and a whole one.
    await setImmediate();
    await setImmediate();
  }
  server.off("connection", note);
}

/**
 * True when an answer has begun, of which ours would become a part. Node keeps it there and looks at it for the same.
 */
function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  return answer?.headersSent === true;
}

/**
 * Nobody knows for whom bytes were that aren't a request: they get a Kubernetes `Status`, since most clients here print
 * those.
 */
function formatRefusal(error: Pick<FairleadError, "httpStatus"> & Partial<FairleadError>): string {
  const { httpStatus: code, message = nodeHttp.STATUS_CODES[code], hint = "" } = error;
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: reasons[code],
    details: error.code && { causes: [{ reason: error.code, message: hint }] },
    code,
  });
  const lines = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  const retry = error.retryable ? "Retry-After: 1\r\n" : "";
  return `HTTP/1.1 ${code} ${nodeHttp.STATUS_CODES[code]}\r\n${retry}${lines}\r\n\r\n${body}`;
}

/** Enough for most tokens with groups, and for every request to the hub's own API. */
export const usualHeadBytes = 131_072;

const headsOfPeople: HeadLimits = {
  timeoutMs: 32_000,
  // As much as an API server takes: 1 MiB, and a little for the request line.
  maxBytes: 1_048_576 + 4_096,
  maxLines: 8_000,
  // client-go keeps idle connections for 90 s: closing them first would race with its next request.
  idleMs: 95_000,
};

/** An enrollment's or a link's, with a certificate and a proof in it; anyone may send it. */
export const headsOfAgents: HeadLimits = { timeoutMs: 10_000, maxBytes: 8 * 1024, idleMs: 15_000 };

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  408: "Timeout",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
};

// Node forgets a connection when it is upgraded, but a closing server waits for it all the same.
const openSockets = new WeakMap<Server, Set<Socket>>();

function trackSockets(server: Server): void {
  const sockets = new Set<Socket>();
  openSockets.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
}

export function parseListen(listen: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(listen);
  return { host: match?.[1] ?? (match?.[2] || "::"), port: Number(match?.[3] ?? "0") };
}
