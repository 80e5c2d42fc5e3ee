// For tests of the proxy: the hub's end of a real link on loopback, an API server at the wire, and one request as the
// hub would make it.
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { FairleadError } from "@fairlead/kernel";
import { type ClusterAccess, createKubePool } from "@fairlead/kube";
import {
  acceptLink,
  attachLink,
  type Link,
  type LinkStream,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  type OpenHead,
  type RawHeaders,
  type ResetCode,
  type ResponseHead,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";
import { createProxyAcceptor, type ProxyOptions } from "./acceptor.ts";
import { createProxyCounters, type ProxyCounters } from "./counters.ts";

export interface Wire extends AsyncDisposable {
  readonly hub: Link;
  readonly agent: Link;
  readonly counters: ProxyCounters;
}

/** A hub's link whose other end proxies to this API server. */
export async function openWire(options: {
  access: ClusterAccess;
  policy?: NonNullable<ProxyOptions["policy"]>;
  ownNamespace?: string;
}): Promise<Wire> {
  const pool = createKubePool({ access: options.access });
  const counters = createProxyCounters();
  const { policy, ownNamespace } = options;
  const links = await openLinks(createProxyAcceptor({ pool, counters, ...(policy && { policy }), ownNamespace }));
  return {
    ...links,
    counters,
    async [Symbol.asyncDispose]() {
      await links[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
    },
  };
}

export async function openLinks(accept: StreamAcceptor): Promise<{ hub: Link; agent: Link } & AsyncDisposable> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  http.on("upgrade", (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (webSocket) => server.emit("connection", webSocket));
  });
  const port = await listen(http);
  const accepted = once(server, "connection");
  const agentSocket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  const [[hubSocket]] = await Promise.all([accepted, once(agentSocket, "open")]);
  const hub = acceptLink({
    socket: hubSocket as WebSocket,
    accept: () => {
      throw new Error("the hub serves nothing here");
    },
  });
  const agent = attachLink({ socket: agentSocket, accept });
  return {
    hub,
    agent,
    async [Symbol.asyncDispose]() {
      hub.close("done");
      agent.close("done");
      await Promise.all([hub.closed, agent.closed]);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export interface Upstream extends AsyncDisposable {
  readonly server: Server;
  readonly access: ClusterAccess;
}

/** Plays an API server where only bytes on the wire matter. */
export async function startUpstream(onRequest: RequestListener): Promise<Upstream> {
  const server = createServer({ maxHeaderSize: 256 * 1024 }, onRequest);
  // An HTTP server forgets sockets that were upgraded.
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("close", () => sockets.delete(socket))));
  const port = await listen(server);
  return {
    server,
    access: accessTo(port),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function accessTo(port: number): ClusterAccess {
  return {
    server: new URL(`http://127.0.0.1:${port}`),
    insecureSkipTlsVerify: false,
    authorization: () => "Bearer the-agents-own",
    namespace: "default",
  };
}

export async function listen(server: {
  listen(port: number, host: string): unknown;
  address(): unknown;
}): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server as Server, "listening");
  return (server.address() as AddressInfo).port;
}

export interface Call {
  readonly stream: LinkStream;
  readonly head: Promise<ResponseHead>;
  /** The whole answer; rejects with the reset. */
  readonly answer: Promise<{ head: ResponseHead; body: Buffer; trailers: RawHeaders }>;
  readonly chunks: Buffer[];
  /** Holds back credit from now on, until released. */
  stall(): void;
  release(): void;
}

/** Sends a request as the hub opens it; without a body it is ended at once. */
export function call(hub: Link, open: Partial<OpenHead> = {}, body?: Uint8Array | "open"): Call {
  const head = deferred<ResponseHead>();
  const answer = deferred<{ head: ResponseHead; body: Buffer; trailers: RawHeaders }>();
  head.promise.catch(() => undefined);
  answer.promise.catch(() => undefined);
  const chunks: Buffer[] = [];
  let heldBytes = 0;
  let isStalled = false;
  let got: ResponseHead = { status: 0, headers: [] };
  const stream = hub.openStream(
    {
      target: "kubernetes",
      method: "GET",
      path: "/",
      headers: [],
      upgrade: false,
      requestId: "req_test",
      deadlineMs: 20_000,
      identity: { user: "alice", groups: ["fairlead:viewers"] },
      ...open,
    },
    {
      onHead(value) {
        got = value;
        head.resolve(value);
      },
      onData(chunk) {
        chunks.push(Buffer.from(chunk));
        if (isStalled) heldBytes += chunk.length;
        else stream.consumed(chunk.length);
      },
      onEnd: (trailers) => answer.resolve({ head: got, body: Buffer.concat(chunks), trailers }),
      onReset(error: FairleadError, code: ResetCode) {
        const reset = Object.assign(new Error(`reset ${code}: ${error.message}`), { resetCode: code });
        head.reject(reset);
        answer.reject(reset);
      },
    },
  );
  if (body instanceof Uint8Array) stream.write(body);
  if (body !== "open") stream.end();
  return {
    stream,
    head: head.promise,
    answer: answer.promise,
    chunks,
    stall() {
      isStalled = true;
    },
    release() {
      isStalled = false;
      stream.consumed(heldBytes);
      heldBytes = 0;
    },
  };
}

export function headerOf(headers: RawHeaders, name: string): string | undefined {
  const at = headers.findIndex((part, i) => i % 2 === 0 && part.toLowerCase() === name.toLowerCase());
  return at < 0 ? undefined : headers[at + 1];
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
