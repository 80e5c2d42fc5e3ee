// How many connections one address may hold, and how many of them before they are through their handshake. A balancer
// that was named as trusted stands for many and isn't counted.
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { networkOf } from "@fairlead/kernel";
import type { TrustedProxies } from "./remote-address.ts";

export interface ConnectionBound {
  /** 0: as many as it likes. */
  readonly connectionsPerAddress: number;
  readonly trustedProxies: TrustedProxies;
  /** Told at most once a minute. */
  readonly onRefused: (about: { readonly remoteAddress: string; readonly refused: number }) => void;
}

export function boundConnections(server: Server, bound: ConnectionBound): void {
  const { connectionsPerAddress, trustedProxies, onRefused } = bound;
  if (connectionsPerAddress === 0) return;
  const held = new Map<string, number>();
  /** Raw connections whose handshake isn't over, by their address. */
  const greeting = new Map<string, number>();
  const isGreeting = new Map<string, () => void>();
  let refused = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  server.on("connection", (socket: Socket) => {
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined || trustedProxies.has(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const isOver = (held.get(network) ?? 0) >= connectionsPerAddress;
    if (isOver || (greeting.get(network) ?? 0) >= handshakesPerAddress) return refuse(socket, remoteAddress);
    add(held, network, 1);
    add(greeting, network, 1);
    const peer = `${remoteAddress} ${remotePort}`;
    const greeted = (): void => {
      if (isGreeting.delete(peer)) add(greeting, network, -1);
    };
    isGreeting.set(peer, greeted);
    socket.once("close", () => {
      greeted();
      add(held, network, -1);
    });
  });
  // The event's socket is another object than the raw one, with the same ends.
  server.on("secureConnection", (socket: TLSSocket) => {
    isGreeting.get(`${socket.remoteAddress} ${socket.remotePort}`)?.();
  });

  function refuse(socket: Socket, remoteAddress: string): void {
    refused++;
    socket.destroy();
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    onRefused({ remoteAddress, refused });
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

const handshakesPerAddress = 512;
const tellEveryMs = 60_000;
