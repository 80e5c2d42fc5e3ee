// The listener for people and tools. The clusters' APIs are looked at first and never reach the framework.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type FairleadError, toProblem } from "@fairlead/kernel";
import type { FastifyInstance } from "fastify";
import { isUnknown, makeKnown } from "./connection-bound.ts";
import { serverErrors } from "./errors.ts";
import { usualHeadBytes } from "./listener.ts";
import { type ExplainUnknown, refuseUnknownUpgrade } from "./other-listener.ts";
import type { SignedIn } from "./principal.ts";
import { noteForwarded, type TrustedProxies } from "./remote-address.ts";

/** Takes connections that become WebSockets. */
export interface UpgradeRoute {
  matches(req: IncomingMessage): boolean;
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
    readonly access: Pick<SignedIn, "authenticate">;
  },
): void {
  const { app, api, live, explain, trustedProxies, access } = options;
  server.on("request", (req, res) => {
    note(req);
    if (api.matches(req)) api.handleRequest(req, res);
    else if (isTooLarge(req)) refuseLarge(res);
    else routeToApp(app, req, res);
  });
  // Answered before the body is asked for, so that a refusal costs no upload.
  server.on("checkContinue", (req, res) => {
    note(req);
    if (api.matches(req)) return api.handleRequest(req, res, { expectsContinue: true });
    if (isTooLarge(req)) return refuseLarge(res);
    res.writeContinue();
    routeToApp(app, req, res);
  });
  server.on("upgrade", (req, socket, head) => {
    noteForwarded(req, trustedProxies);
    // A connection that isn't let in is out within a second.
    makeKnown(req.socket);
    if (api.matches(req)) return api.handleUpgrade(req, socket as Socket, head);
    if (isTooLarge(req)) return refuseUnknownUpgrade(socket as Socket, tooLarge());
    if (live.matches(req)) return live.handleUpgrade(req, socket as Socket, head);
    refuseUnknownUpgrade(socket as Socket, explain(req.url));
  });

  function note(req: IncomingMessage): void {
    noteForwarded(req, trustedProxies);
    if (isUnknown(req.socket)) void noteSignIn(access, req);
  }
}

/** Only requests to clusters have larger heads: none of the hub's own reads more than a token and a cookie. */
function isTooLarge(req: IncomingMessage): boolean {
  return headBytesOf(req) > usualHeadBytes;
}

function refuseLarge(res: ServerResponse): void {
  res.writeHead(431, { "content-type": "application/problem+json", connection: "close" });
  res.end(JSON.stringify(toProblem(tooLarge())));
}

function tooLarge(): FairleadError {
  return serverErrors.API_HEADERS_TOO_LARGE({ limitKiB: usualHeadBytes / 1024 });
}

/** The characters of request line and headers. */
export function headBytesOf({ url = "", rawHeaders }: Pick<IncomingMessage, "url" | "rawHeaders">): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Requests without a sign-in are refused by their route; here it only matters whose connection it is. */
async function noteSignIn(access: Pick<SignedIn, "authenticate">, { headers, socket }: IncomingMessage): Promise<void> {
  if (headers.authorization === undefined) return;
  try {
    await access.authenticate(headers.authorization);
    makeKnown(socket);
  } catch {
    // It stays unknown.
  }
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
