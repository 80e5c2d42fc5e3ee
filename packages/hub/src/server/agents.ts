// The listener for agents: enrollment without a client certificate, the link with one, nothing else.
import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import { linkPath } from "@fairlead/protocol";
import type { FastifyInstance } from "fastify";
import { endSoon } from "./end-soon.ts";

export interface LinkDoor {
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function routeAgents(
  server: Server,
  options: { readonly app: FastifyInstance; readonly links: LinkDoor },
): void {
  const { app, links } = options;
  server.on("request", (req, res) => app.routing(req, res));
  server.on("upgrade", (req, socket, head) => {
    if (req.url === linkPath) return links.handleUpgrade(req, socket as Socket, head);
    socket.on("error", () => socket.destroy());
    endSoon(socket as Socket, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
}
