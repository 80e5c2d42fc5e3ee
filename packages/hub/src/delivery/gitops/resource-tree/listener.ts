// Takes clients' connections, with or without TLS, and bounds them: those that haven't shown the password are few and short,
// and the one that has waited longest makes room for the next.
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { type Clock, reasonOf } from "@fairlead/kernel";
import { createConnectionPool, type KeyPair, parseListen, watchTlsFiles } from "../../../platform/server/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import { resourceTreeErrors } from "./errors.ts";
import { failureReply } from "./resp/index.ts";

export interface ClientListener extends AsyncDisposable {
  readonly port: number;
  /** Ends all connections and takes no new ones. */
  stop(): void;
}

/** Serves one connection until it is over. `admit` says that it has shown the password; false: there is no room. */
export type ServeConnection = (socket: Socket, admit: () => void) => Promise<void>;

export async function openClientListener(options: {
  readonly listen: string;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly serve: ServeConnection;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<ClientListener> {
  const { listen, tls, serve, clock, log } = options;
  const sockets = new Set<Socket>();
  const strangers = createConnectionPool({
    perNetwork: mostStrangers,
    total: mostStrangers,
    onDropped: () => log.warn({}, "too many connections to the endpoint for Argo CD without its password"),
  });
  await using undo = new AsyncDisposableStack();
  const server = tls ? undo.use(await openTlsServer(tls, log)).server : createServer();
  server.maxConnections = mostConnections + mostStrangers;
  server.on(tls ? "secureConnection" : "connection", take);
  server.on("tlsClientError", (_error: unknown, socket: Socket) => socket.destroy());
  await startServer(server, listen);
  const closed = new Promise<void>((resolve) => void server.once("close", resolve));
  const stop = (): void => {
    if (server.listening) server.close();
    for (const socket of sockets) socket.destroy();
  };
  undo.defer(() => {
    stop();
    return closed;
  });
  const address = server.address();
  const owned = undo.move();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    stop,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  function take(socket: Socket): void {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    sockets.add(socket);
    strangers.add(socket, undefined);
    const cancel = clock.after(strangerMs, () => socket.destroy());
    socket.once("close", () => {
      cancel();
      sockets.delete(socket);
      strangers.remove(socket);
    });
    const admit = (): void => {
      cancel();
      strangers.remove(socket);
      if (sockets.size > mostConnections) socket.end(failureReply("ERR", "max number of clients reached"));
    };
    serve(socket, admit).catch((error: unknown) => {
      socket.destroy();
      log.debug({ err: error }, "a connection of Argo CD ended");
    });
  }
}

async function openTlsServer(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  log: Logger,
): Promise<{ readonly server: TlsServer } & Disposable> {
  const files = await watchTlsFiles({
    certFile,
    keyFile,
    onChanged: (pair) => server.setSecureContext(toContext(pair)),
    onError: (error) => log.error({ err: error }, "the new certificate for Argo CD can't be used; the old one stays"),
  });
  const server: TlsServer = createTlsServer({ ...toContext(files.first), handshakeTimeout: strangerMs });
  return { server, [Symbol.dispose]: () => files[Symbol.dispose]() };
}

function toContext({ certPem, keyPem }: KeyPair) {
  return { cert: certPem, key: keyPem, minVersion: "TLSv1.2" as const };
}

async function startServer(server: Server, listen: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(resourceTreeErrors.RESOURCE_TREE_LISTEN_REFUSED({ listen, reason: reasonOf(error), cause: error }));
    });
    server.listen(parseListen(listen), resolve);
  });
}

const mostConnections = 512;
const mostStrangers = 64;
const strangerMs = 10_000;
