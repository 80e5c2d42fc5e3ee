// The listener for agents and other hubs: enrollment without a client certificate, links with one, nothing else.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { hubLinkPath, linkPath } from "@fairlead/protocol";
import type { FastifyInstance } from "fastify";
import { type ExplainUnknown, refuseUnknownUpgrade } from "./other-listener.ts";
import { noteForwarded, type TrustedProxies } from "./remote-address.ts";

export interface LinkDoor {
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function routeAgents(
  server: Server,
  options: {
    readonly app: FastifyInstance;
    readonly links: LinkDoor;
    /** Undefined where there is one hub only. */
    readonly hubs: LinkDoor | undefined;
    readonly explain: ExplainUnknown;
    readonly trustedProxies: TrustedProxies;
  },
): void {
  const { app, links, hubs, explain, trustedProxies } = options;
  server.on("request", (req, res) => {
    noteForwarded(req, trustedProxies);
    app.routing(req, res);
  });
  server.on("upgrade", (req, socket, head) => {
    noteForwarded(req, trustedProxies);
    if (req.url === linkPath) return links.handleUpgrade(req, socket as Socket, head);
    if (req.url === hubLinkPath && hubs) return hubs.handleUpgrade(req, socket as Socket, head);
    refuseUnknownUpgrade(socket as Socket, explain(req.url));
  });
}
