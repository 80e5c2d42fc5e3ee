// A link on loopback over which tests call an agent as a hub does.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  acceptLink,
  attachLink,
  type Link,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";

export interface LinkToHub extends AsyncDisposable {
  /** At the hub's end. */
  readonly link: Link;
}

export async function openLinkToHub(acceptOnAgent: StreamAcceptor): Promise<LinkToHub> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  const accepting = new Promise<WebSocket>((resolve) => {
    http.on("upgrade", (req, socket, head) => server.handleUpgrade(req, socket, head, resolve));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  const [accepted] = await Promise.all([accepting, once(socket, "open")]);
  const link = acceptLink({ socket: accepted, accept: refuse });
  const agent = attachLink({ socket, accept: acceptOnAgent });
  return {
    link,
    async [Symbol.asyncDispose]() {
      for (const end of [link, agent]) end.close("test is done");
      await Promise.all([link.closed, agent.closed]);
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function refuse(): never {
  throw new Error("nothing is served here");
}
