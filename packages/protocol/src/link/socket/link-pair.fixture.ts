// Two ends of a link over a real WebSocket on loopback, for tests.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { Link, LinkBudget, LinkLimits } from "../session/index.ts";
import type { StreamAcceptor } from "../stream/index.ts";
import { acceptLink, attachLink, linkPath, linkServerOptions, linkSocketOptions, linkSubprotocol } from "./ws-link.ts";

export interface LinkPair extends AsyncDisposable {
  readonly hub: Link;
  readonly agent: Link;
  readonly hubSocket: WebSocket;
  readonly agentSocket: WebSocket;
}

export interface LinkPairOptions {
  readonly acceptOnHub?: StreamAcceptor;
  readonly acceptOnAgent?: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
  readonly hubBudget?: LinkBudget;
}

export async function openLinkPair(options: LinkPairOptions = {}): Promise<LinkPair> {
  const { acceptOnHub = refuse, acceptOnAgent = refuse, limits = {}, hubBudget } = options;
  const { hubSocket, agentSocket, close } = await openSocketPair();
  const budget = hubBudget === undefined ? {} : { budget: hubBudget };
  const hub = acceptLink({ socket: hubSocket, accept: acceptOnHub, limits, ...budget });
  const agent = attachLink({ socket: agentSocket, accept: acceptOnAgent, limits });
  return {
    hub,
    agent,
    hubSocket,
    agentSocket,
    async [Symbol.asyncDispose]() {
      hub.close("test is done");
      agent.close("test is done");
      await Promise.all([hub.closed, agent.closed]);
      await close();
    },
  };
}

export interface SocketPair {
  readonly hubSocket: WebSocket;
  readonly agentSocket: WebSocket;
  readonly close: () => Promise<void>;
}

export async function openSocketPair(): Promise<SocketPair> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  http.on("upgrade", (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (webSocket) => server.emit("connection", webSocket, request));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const accepted = once(server, "connection");
  const agentSocket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  const [[hubSocket]] = await Promise.all([accepted, once(agentSocket, "open")]);
  return {
    hubSocket: hubSocket as WebSocket,
    agentSocket,
    async close() {
      (hubSocket as WebSocket).terminate();
      agentSocket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function refuse(): never {
  throw new Error("nothing is served here");
}
