// How many connections one address may hold, and how many there may be, of it and of all, whose owner isn't known yet:
// they have cost nothing but a handshake. A balancer that was named as trusted stands for many, so only the sums hold
// for it. A connection is known from the first request in its owner's name on, or by a link; a client certificate that
// this hub's authority signed has places of its own, so that strangers who come from the same address can't take them.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type TLSSocket, Server as TlsServer } from "node:tls";
import { networkOf } from "@fairlead/kernel";
import { type ConnectionPool, createConnectionPool } from "./connection-pool.ts";
import { takeHandshakeTurns } from "./handshake-turns.ts";
import type { TrustedProxies } from "./remote-address.ts";

export interface ConnectionBound {
  /** 0: as many as it likes. */
  readonly connectionsPerAddress: number;
  readonly unknownConnectionsPerAddress: number;
  readonly unknownConnections: number;
  readonly trustedProxies: TrustedProxies;
  /** Told at most once a minute. */
  readonly onRefused: (about: { readonly remoteAddress: string; readonly refused: number }) => void;
}

export function boundConnections(server: Server, bound: ConnectionBound): void {
  const { connectionsPerAddress, unknownConnectionsPerAddress, unknownConnections, trustedProxies } = bound;
  const held = new Map<string, number>();
  /** Raw connections whose handshake isn't over, by their ends: the socket of the handshake's end is another object. */
  const greeting = new Map<string, Socket>();
  let refused = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  const onDropped = (socket: Socket): void => count(socket.remoteAddress);
  const handshakes = createConnectionPool({ perNetwork: handshakesPerAddress, total: handshakesOfAll, onDropped });
  const strangers = createConnectionPool({
    perNetwork: unknownConnectionsPerAddress,
    total: unknownConnections,
    onDropped,
  });
  const holders = createConnectionPool({
    perNetwork: connectionsPerCertificate,
    total: Number.POSITIVE_INFINITY,
    onDropped,
  });

  const turns =
    server instanceof TlsServer
      ? takeHandshakeTurns(server, { networkOf: ({ remoteAddress }) => remoteAddress && findNetwork(remoteAddress) })
      : undefined;

  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    const network = findNetwork(remoteAddress);
    if (network !== undefined && connectionsPerAddress > 0) {
      if ((held.get(network) ?? 0) >= connectionsPerAddress) {
        count(remoteAddress);
        socket.destroy();
        return;
      }
      add(held, network, 1);
      socket.once("close", () => add(held, network, -1));
    }
    if (!(server instanceof TlsServer)) {
      begin(socket, { pool: strangers, key: network });
      return;
    }
    const ends = endsOf(socket);
    greeting.set(ends, socket);
    handshakes.add(socket, network);
    socket.once("close", () => {
      handshakes.remove(socket);
      if (greeting.get(ends) === socket) greeting.delete(ends);
    });
  });

  server.on("secureConnection", (socket: TLSSocket) => {
    const { remoteAddress } = socket;
    const raw = greeting.get(endsOf(socket));
    if (raw) {
      handshakes.remove(raw);
      turns?.end(raw);
    }
    if (remoteAddress === undefined || socket.destroyed) return;
    const certificate = socket.authorized ? socket.getPeerX509Certificate()?.fingerprint256 : undefined;
    const network = findNetwork(remoteAddress);
    begin(socket, certificate === undefined ? { pool: strangers, key: network } : { pool: holders, key: certificate });
  });

  function begin(socket: Socket, { pool, key }: { readonly pool: ConnectionPool; readonly key: string | undefined }) {
    pool.add(socket, key);
    unknown.set(socket, () => pool.remove(socket));
    socket.once("close", () => pool.remove(socket));
  }

  function findNetwork(remoteAddress: string): string | undefined {
    return trustedProxies.has(remoteAddress) ? undefined : networkOf(remoteAddress);
  }

  function count(remoteAddress = "unknown"): void {
    refused++;
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    bound.onRefused({ remoteAddress, refused });
  }
}

/** From now on it isn't one of those whose owner nobody knows. */
export function makeKnown(socket: Socket): void {
  unknown.get(socket)?.();
  unknown.delete(socket);
}

export function isUnknown(socket: Socket): boolean {
  return unknown.has(socket);
}

const unknown = new WeakMap<Socket, () => void>();

function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

const handshakesPerAddress = 512;
/** Most of them only wait for their turn: a hub that starts may find all of ten thousand agents at its door. */
const handshakesOfAll = 12_288;
/** Until they are links. More than a cluster has agents with one identity. */
const connectionsPerCertificate = 32;
const tellEveryMs = 60_000;
