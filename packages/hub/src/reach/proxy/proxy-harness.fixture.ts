// The proxy with everything real around it but the parts that other packages test: a link over loopback, a plain HTTP
// server as the cluster's API server, and the smallest acceptor that joins the two.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  acceptLink,
  attachLink,
  type Link,
  type LinkLimits,
  type LinkStream,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  resetCodes,
  type StreamAcceptor,
  type StreamHandlers,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";
import type { Absence } from "../clusters/index.ts";
import { clientGone } from "./exchange.ts";
import { type ClusterProxy, createClusterProxy } from "./index.ts";
import type { FinishedRequest, ProxyPorts } from "./ports.ts";

export interface ProxyHarness extends AsyncDisposable {
  /** The cluster is called `east`, the token is `good`. */
  readonly url: string;
  readonly port: number;
  readonly proxy: ClusterProxy;
  readonly hubLink: Link;
  readonly agentLink: Link;
  /** Counts the streams that reached the agent. */
  readonly streams: { readonly opened: number };
  readonly requests: readonly FinishedRequest[];
  /** Those of them that the client didn't give up. */
  readonly failures: readonly FinishedRequest[];
}

export interface ProxyHarnessOptions {
  /** Plays the API server. */
  readonly upstream?: (req: IncomingMessage, res: ServerResponse) => void;
  readonly onUpgrade?: (req: IncomingMessage, socket: Socket, head: Buffer) => void;
  /** Takes the upstream's place, for answers that no server would give. */
  readonly accept?: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
  readonly headDeadlineMs?: number;
  readonly returnMs?: number;
  /** Replace the ports that let alice (token `good`) do everything and do nothing else. */
  readonly ports?: Partial<ProxyPorts>;
}

export async function openProxyHarness(options: ProxyHarnessOptions = {}): Promise<ProxyHarness> {
  await using undo = new AsyncDisposableStack();
  const upstream = createServer({ maxHeaderSize: 1_052_672 }, options.upstream ?? ((_req, res) => res.end("ok")));
  upstream.maxHeadersCount = 0;
  if (options.onUpgrade) upstream.on("upgrade", options.onUpgrade);
  const upstreamPort = await listen(upstream, undo);
  const serve = options.accept ?? ((stream: LinkStream) => forward(stream, upstreamPort));
  const streams = { opened: 0 };
  const accept: StreamAcceptor = (stream) => {
    streams.opened += 1;
    return serve(stream);
  };
  const { hubLink, agentLink } = await openLinks(accept, options.limits ?? {}, undo);

  const requests: FinishedRequest[] = [];
  const proxy = createClusterProxy(
    {
      access: {
        authenticate(authorization) {
          if (authorization !== "Bearer good") throw new Error("not signed in");
          return { kind: "user", name: "alice", uid: "usr_1", groups: [] };
        },
        authorize: ({ principal }) => ({
          allowed: true,
          identity: { user: principal.name, groups: ["fairlead:viewers"] },
          record: false,
        }),
      },
      exists: (cluster) => cluster === "east" || cluster in absences,
      connections: (cluster) => (cluster === "east" ? [{ link: hubLink, hello: { capabilities: ["identity"] } }] : []),
      absence: (cluster) => absences[cluster] ?? { state: "offline", sinceMs: Date.now(), lostMs: Date.now() },
      requestLog: { isVerbose: true, write: (request) => requests.push(request) },
      ...options.ports,
    },
    {
      headDeadlineMs: options.headDeadlineMs ?? 10_000,
      longHeadDeadlineMs: 60_000,
      ...(options.returnMs === undefined ? {} : { returnMs: options.returnMs }),
    },
  );
  const hub = createServer({ requestTimeout: 0, maxHeaderSize: 1_052_672 }, (req, res) =>
    proxy.handleRequest(req, res),
  );
  hub.maxHeadersCount = 8_000;
  hub.on("checkContinue", (req, res) => proxy.handleRequest(req, res, { expectsContinue: true }));
  hub.on("upgrade", (req, socket, head) => proxy.handleUpgrade(req, socket as Socket, head));
  const port = await listen(hub, undo);
  const release = undo.move();
  return {
    url: `http://127.0.0.1:${port}/k8s/clusters/east`,
    port,
    proxy,
    hubLink,
    agentLink,
    streams,
    requests,
    get failures() {
      return requests.filter(({ error }) => error && error !== clientGone);
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** Clusters without a link, by name. */
const absences: Readonly<Record<string, Absence>> = {
  new: { state: "never-connected", sinceMs: Date.now(), lostMs: undefined },
  // Cut for as long as any test runs.
  cut: { state: "offline", sinceMs: Date.now(), lostMs: Number.POSITIVE_INFINITY },
  offline: { state: "offline", sinceMs: Date.UTC(2030, 0, 2, 3, 4, 5), lostMs: 0 },
  revoked: { state: "revoked", sinceMs: Date.UTC(2030, 0, 2, 3, 4, 5), lostMs: 0 },
  watched: { state: "connected", sinceMs: Date.now(), lostMs: 0 },
};

async function listen(server: Server, undo: AsyncDisposableStack): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function openLinks(
  accept: StreamAcceptor,
  limits: Partial<LinkLimits>,
  undo: AsyncDisposableStack,
): Promise<{ hubLink: Link; agentLink: Link }> {
  const http = createServer();
  const sockets = new WebSocketServer(linkServerOptions);
  http.on("upgrade", (req, socket, head) => {
    sockets.handleUpgrade(req, socket, head, (ws) => sockets.emit("connection", ws, req));
  });
  const port = await listen(http, undo);
  const accepted = once(sockets, "connection");
  const agentSocket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  const [[hubSocket]] = await Promise.all([accepted, once(agentSocket, "open")]);
  const refuse: StreamAcceptor = () => {
    throw new Error("nothing is served here");
  };
  const hubLink = acceptLink({ socket: hubSocket as WebSocket, accept: refuse, limits });
  const agentLink = attachLink({ socket: agentSocket, accept, limits });
  undo.defer(() => {
    hubLink.close("test is done");
    agentLink.close("test is done");
  });
  return { hubLink, agentLink };
}

function forward(stream: LinkStream, port: number): StreamHandlers {
  const { method, path, headers, upgrade } = stream.open;
  const upstream = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: [...headers, "Host", "upstream"],
    maxHeaderSize: 1_052_672,
  });
  let pipe: Socket | undefined;
  upstream.on("error", () => stream.reset(resetCodes.upstreamBroken));
  upstream.on("response", (res) => {
    stream.respond({ status: res.statusCode ?? 0, headers: res.rawHeaders });
    pump(res, stream);
  });
  upstream.on("upgrade", (res, socket: Socket, head) => {
    pipe = socket;
    socket.on("error", () => stream.reset(resetCodes.upstreamBroken));
    stream.respond({ status: 101, headers: res.rawHeaders });
    if (head.length > 0) stream.write(head);
    pump(socket, stream);
  });
  if (upgrade) upstream.end();
  return {
    onData(chunk) {
      (pipe ?? upstream).write(chunk, () => stream.consumed(chunk.byteLength));
    },
    onEnd(trailers) {
      if (trailers.length > 0) upstream.addTrailers([[trailers[0] ?? "", trailers[1] ?? ""]]);
      (pipe ?? upstream).end();
    },
    onReset() {
      upstream.destroy();
      pipe?.destroy();
    },
    onWritable() {
      upstream.emit("fairlead-writable");
    },
  };

  function pump(source: IncomingMessage | Socket, sink: LinkStream): void {
    source.on("data", (chunk: Buffer) => {
      if (!sink.write(chunk)) source.pause();
    });
    upstream.on("fairlead-writable", () => source.resume());
    source.on("end", () => sink.end("rawTrailers" in source ? source.rawTrailers : []));
    source.on("error", () => sink.reset(resetCodes.upstreamBroken));
    if ("complete" in source) source.on("close", () => !source.complete && sink.reset(resetCodes.upstreamBroken));
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends a raw request on a connection of its own. Resolves when the other side closes it. */
export async function sendRaw(port: number, text: string): Promise<RawAnswer> {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  await once(socket, "close");
  const [head = "", ...rest] = received.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") };
}

export const authorized = { authorization: "Bearer good" };
