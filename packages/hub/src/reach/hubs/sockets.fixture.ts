import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { linkServerOptions, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";

/** Two ends of a WebSocket over loopback. */
export interface Sockets extends AsyncDisposable {
  readonly accepted: WebSocket;
  readonly dialled: WebSocket;
}

export async function openSockets(): Promise<Sockets> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  const accepting = new Promise<WebSocket>((resolve) => {
    http.on("upgrade", (req, socket, head) => server.handleUpgrade(req, socket, head, resolve));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const dialled = new WebSocket(`ws://127.0.0.1:${port}/`, linkSubprotocol, linkSocketOptions);
  const [accepted] = await Promise.all([accepting, once(dialled, "open")]);
  return {
    accepted,
    dialled,
    async [Symbol.asyncDispose]() {
      // The server waits for its sockets, upgraded ones among them.
      for (const each of [accepted, dialled]) each.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
