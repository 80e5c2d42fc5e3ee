// CONNECT: bytes both ways, of which the proxy knows nothing. TLS is the program's own.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { onAbort } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import { readAuthority } from "./read-target.ts";
import { describeRefusal, reach, type Serving } from "./serving.ts";
import { watchIdle } from "./watch-idle.ts";

export function serveConnect(serving: Serving, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // It is told by its end.
  socket.on("error", () => undefined);
  tunnel(serving, request, socket, head).catch((thrown: unknown) => refuse(socket, thrown));
}

async function tunnel(serving: Serving, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const { passes, clock, limits, strangers } = serving;
  const pass = passes.find(request.headers["proxy-authorization"]);
  const target = readAuthority(request.url ?? "");
  const { signal, leave, abort } = passes.enter(pass, target);
  strangers.admit(socket);
  socket.once("close", () => abort(new Error("the program has gone")));
  try {
    const onward = await reach(serving, pass, target, signal);
    const end = (): void => {
      socket.destroy();
      onward.destroy();
    };
    const idle = watchIdle({ clock, idleMs: limits.idleMs, onIdle: end });
    const aborting = onAbort(signal, end);
    const over = Promise.withResolvers<void>();
    onward.on("error", end).once("close", () => over.resolve());
    socket.once("close", end);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) onward.write(head);
    socket.on("data", idle.touch).pipe(onward);
    onward.on("data", idle.touch).pipe(socket);
    await over.promise;
    idle[Symbol.dispose]();
    aborting[Symbol.dispose]();
    // What it said last is still on its way.
    if (!onward.readableEnded) socket.destroy();
  } finally {
    leave();
  }
}

function refuse(socket: Duplex, thrown: unknown): void {
  if (!socket.writable) return void socket.destroy();
  const { status, headers, body } = describeRefusal(thrown);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}
