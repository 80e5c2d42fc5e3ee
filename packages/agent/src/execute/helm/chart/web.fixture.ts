// Servers on loopback that answer as they like, and the names under which a proxy of the agent leads to them.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface Place extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined }[];
  /** From now on. */
  answer: (path: string, request: IncomingMessage) => Answer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export async function startPlace(
  answer: Place["answer"] = () => ({ status: 404 }),
  /** It speaks TLS. */
  pair?: { readonly key: string; readonly cert: string },
): Promise<Place> {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { url: path = "/", headers } = request;
    asked.push({ path, authorization: headers.authorization });
    const { status = 200, headers: told = {}, body = "" } = place.answer(path, request);
    response.writeHead(status, told).end(body);
  };
  const server = pair ? createTlsServer(pair, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const place: Place = {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return place;
}

export interface Outside extends AsyncDisposable {
  /** For the agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** `HOST:PORT` of each connection. */
  readonly asked: readonly string[];
}

/** A proxy behind which each `HOST:PORT` is one of the places. */
export async function startOutside(places: Readonly<Record<string, Place>>): Promise<Outside> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const authority = request.url ?? "";
    asked.push(authority);
    const port = places[authority]?.port;
    if (port === undefined) return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    const onward = connect({ host: "127.0.0.1", port });
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => undefined);
    }
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    environment: { HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function redirectTo(location: string): Answer {
  return { status: 302, headers: { location } };
}
