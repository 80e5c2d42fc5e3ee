// A request for an http:// address: it goes on over a connection of its own, without what concerns the proxy.

import type { IncomingMessage, ServerResponse } from "node:http";
import { onAbort } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import { egressErrors } from "./errors.ts";
import { readAddress } from "./read-target.ts";
import { describeRefusal, reach, type Serving } from "./serving.ts";
import { watchIdle } from "./watch-idle.ts";

export function serveRequest(serving: Serving, request: IncomingMessage, response: ServerResponse): void {
  response.on("error", () => undefined);
  forward(serving, request, response).catch((thrown: unknown) => refuse(response, thrown));
}

async function forward(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { passes, clock, limits, strangers } = serving;
  const pass = passes.find(request.headers["proxy-authorization"]);
  const { target, path } = readAddress(request.url ?? "");
  const { signal, leave, abort } = passes.enter(pass, target);
  const { socket: dialled } = request;
  strangers.admit(dialled);
  response.once("close", () => {
    abort(new Error("the program has gone"));
    strangers.release(dialled);
  });
  try {
    const socket = await reach(serving, pass, target, signal);
    using idle = watchIdle({ clock, idleMs: limits.idleMs, onIdle: () => socket.destroy() });
    using _aborting = onAbort(signal, () => socket.destroy());
    using _closing = { [Symbol.dispose]: () => socket.destroy() };
    const over = Promise.withResolvers<void>();
    const onward = nodeHttp.request({
      method: request.method ?? "GET",
      path,
      setHost: false,
      createConnection: () => socket,
      headers: [...keptLines(request.rawHeaders), "Host", target.name, "Connection", "close"],
    });
    onward.on("error", (cause) =>
      over.reject(egressErrors.EGRESS_UNREACHABLE({ host: target.name, reason: cause.message, cause })),
    );
    // One through the agent's own proxy comes paused.
    onward.once("socket", () => socket.resume());
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, keptLines(answer.rawHeaders));
      answer.on("data", idle.touch).pipe(response);
      // A cut answer never looks like a whole one.
      answer.once("close", () => (answer.complete ? over.resolve() : over.reject(new Error("the answer was cut"))));
    });
    request.on("data", idle.touch).pipe(onward);
    await over.promise;
  } finally {
    leave();
  }
}

function refuse(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, headers, body } = describeRefusal(thrown);
  response.writeHead(status, headers).end(body);
}

/** Without what concerns one connection, and what is meant for proxies. */
function keptLines(raw: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2)
    if (!dropped.has((raw[i] ?? "").toLowerCase().trim())) lines.push(raw[i] ?? "", raw[i + 1] ?? "");
  return lines;
}

const dropped = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "te",
  "trailer",
  "upgrade",
  "transfer-encoding",
  "expect",
  "http2-settings",
]);
