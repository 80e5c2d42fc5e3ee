// The listener for people and tools. The clusters' APIs are looked at first and never reach the framework.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { type ExplainUnknown, refuseUnknownUpgrade } from "./other-listener.ts";
import { noteForwarded, type TrustedProxies } from "./remote-address.ts";

/** What takes connections that become WebSockets. */
export interface UpgradeRoute {
  matches(url: string | undefined): boolean;
  handleUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

export interface ClusterApi extends UpgradeRoute {
  handleRequest(req: IncomingMessage, res: ServerResponse, options?: { readonly expectsContinue: boolean }): void;
}

export function routePeople(
  server: Server,
  options: {
    readonly app: FastifyInstance;
    readonly api: ClusterApi;
    readonly live: UpgradeRoute;
    readonly explain: ExplainUnknown;
    readonly trustedProxies: TrustedProxies;
  },
): void {
  const { app, api, live, explain, trustedProxies } = options;
  server.on("request", (req, res) => {
    noteForwarded(req, trustedProxies);
    if (api.matches(req.url)) api.handleRequest(req, res);
    else routeToApp(app, req, res);
  });
  // Answered before the body is asked for, so that a refusal costs no upload.
  server.on("checkContinue", (req, res) => {
    noteForwarded(req, trustedProxies);
    if (api.matches(req.url)) return api.handleRequest(req, res, { expectsContinue: true });
    res.writeContinue();
    routeToApp(app, req, res);
  });
  server.on("upgrade", (req, socket, head) => {
    noteForwarded(req, trustedProxies);
    if (api.matches(req.url)) return api.handleUpgrade(req, socket as Socket, head);
    if (live.matches(req.url)) return live.handleUpgrade(req, socket as Socket, head);
    refuseUnknownUpgrade(socket as Socket, explain(req.url));
  });
}

/** For the framework's routes a slow body is bounded here: their listener has no limit of its own. */
function routeToApp(app: FastifyInstance, req: IncomingMessage, res: ServerResponse): void {
  const timer = setTimeout(() => {
    if (!req.complete) req.destroy();
  }, bodyTimeoutMs);
  timer.unref();
  req.once("close", () => clearTimeout(timer));
  app.routing(req, res);
}

const bodyTimeoutMs = 30_000;
