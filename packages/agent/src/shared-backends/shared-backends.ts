// Listens in the cluster for its Argo CD, and carries each connection over the link to the Redis or repo-server that the
// hub shares. Which one is fixed by the listener; what passes isn't looked at.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { type Clock, orAbort, reasonOf, untilAbort } from "@fairlead/kernel";
import { createLinkTransport, SharedBackend, SharedBackendService } from "@fairlead/protocol";
import type { Logger } from "pino";
import { type ListenAddress, listenFailed, type SharedBackendsConfig } from "../config/index.ts";
import type { CurrentLink } from "../link/index.ts";

/** Rejects with CONFIG_LISTEN_FAILED. */
export async function serveSharedBackends(options: {
  readonly config: SharedBackendsConfig;
  /** Connections go over the link that is current when they come, and end with it. */
  readonly links: Pick<CurrentLink, "current">;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<AsyncDisposable> {
  const { config, links, clock, log } = options;
  let toldMs = Number.NEGATIVE_INFINITY;
  await using undo = new AsyncDisposableStack();
  for (const { backend, listen } of listenersOf(config)) {
    const server = undo.use(createServer({ allowHalfOpen: true }));
    server.maxConnections = mostConnections;
    const stopping = new AbortController();
    undo.defer(() => stopping.abort(new Error("the agent stops")));
    server.on("connection", (socket) => {
      carry(socket, backend, stopping.signal).catch((error: unknown) => tell(backend, error));
    });
    await start(server, listen);
  }
  return undo.move();

  async function carry(socket: Socket, backend: SharedBackend, stopping: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([stopping, ending.signal]);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.on("error", () => undefined);
    socket.once("close", () => ending.abort(new Error("the connection has ended")));
    try {
      const { link } = links.current ?? {};
      if (!link) throw new Error("the hub isn't there");
      const client = createClient(SharedBackendService, createLinkTransport({ link }));
      for await (const { data } of client.connect(pieces(socket, { backend, clock }), { signal }))
        if (data.byteLength > 0 && !socket.write(data)) await orAbort(once(socket, "drain"), signal);
      socket.end();
      const cancel = clock.after(lingerMs, () => socket.destroy());
      await untilAbort(signal).finally(cancel);
    } catch (error) {
      if (!ending.signal.aborted && !stopping.aborted) throw error;
    } finally {
      socket.destroy();
    }
  }

  /** Components of Argo CD try again and again. */
  function tell(backend: SharedBackend, error: unknown): void {
    if (clock.steadyMs() - toldMs < 60_000) return;
    toldMs = clock.steadyMs();
    log.warn(
      { backend: backend === SharedBackend.REDIS ? "redis" : "repo-server", reason: reasonOf(error) },
      "what the hub shares can't be reached",
    );
  }
}

/** A connection may be quiet for as long as it likes; the hub gives up calls that are. */
async function* pieces(socket: Socket, { backend, clock }: PieceOptions): AsyncGenerator<Piece> {
  yield { backend };
  const chunks = (socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let next = chunks.next(); ; ) {
    const quiet = Promise.withResolvers<undefined>();
    const cancel = clock.after(quietMs, () => quiet.resolve(undefined));
    const chunk = await Promise.race([next, quiet.promise]).finally(cancel);
    if (chunk?.done) return;
    yield chunk ? { data: chunk.value } : {};
    if (chunk) next = chunks.next();
  }
}

async function start(server: Server, { host, port }: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenFailed(`${host}:${port}`, error)));
    server.listen({ host, port }, resolve);
  });
}

function listenersOf({ redis, repoServer }: SharedBackendsConfig) {
  return [
    ...(redis ? [{ backend: SharedBackend.REDIS, listen: redis }] : []),
    ...(repoServer ? [{ backend: SharedBackend.REPO_SERVER, listen: repoServer }] : []),
  ];
}

interface PieceOptions {
  readonly backend: SharedBackend;
  readonly clock: Clock;
}

interface Piece {
  readonly backend?: SharedBackend;
  readonly data?: Uint8Array;
}

/** At each listener. The hub takes as many of a cluster for both together. */
const mostConnections = 32;
const quietMs = 60_000;
const lingerMs = 5_000;
