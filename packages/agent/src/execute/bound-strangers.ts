// Anybody on the machine can dial a listener of the agent's. Connections that show no key, or have nothing under way, are
// bounded: the oldest makes room for the newest, so that whoever opens many of them keeps nobody else out.
import type { Server } from "node:http";
import type { Duplex } from "node:stream";

export interface Strangers {
  /** A request with a key came by it, and is under way. */
  readonly admit: (socket: Duplex) => void;
  /** Nothing is under way on it any more. */
  readonly release: (socket: Duplex) => void;
}

export function boundStrangers(server: Server, most: number): Strangers {
  // In the order in which they came.
  const waiting = new Set<Duplex>();
  const add = (socket: Duplex): void => {
    if (socket.destroyed) return;
    waiting.delete(socket);
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size <= most || oldest === undefined) return;
    waiting.delete(oldest);
    oldest.destroy();
  };
  server.on("connection", (socket) => {
    add(socket);
    socket.once("close", () => waiting.delete(socket));
  });
  return { admit: (socket) => void waiting.delete(socket), release: add };
}
