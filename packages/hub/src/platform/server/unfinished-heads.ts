// Bounds what requests cost while their heads aren't whole: an address, and all together, may have so much of such heads
// in memory. Node counts each head alone and says nothing before it is whole, so what sockets have read is looked at a few
// times a second. A stranger's head counts until its request is answered; of others the requests have limits of their own.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { networkOf } from "@fairlead/kernel";
import { isUnknown } from "./connection-bound.ts";
import type { TrustedProxies } from "./remote-address.ts";

export interface HeadBound {
  readonly trustedProxies: TrustedProxies;
  /** Answers a request whose head is one too many, and closes its connection. */
  readonly refuse: (socket: Socket) => void;
  readonly strangers?: HeadShare;
  readonly known?: HeadShare;
  readonly sweepMs?: number;
}

export interface HeadShare {
  readonly perNetworkBytes: number;
  readonly totalBytes: number;
}

export function boundUnfinishedHeads(server: Server, bound: HeadBound): void {
  const { trustedProxies, strangers = defaultStrangers, known = defaultKnown, sweepMs = 100 } = bound;
  const connections = new Map<Socket, Connection>();
  let timer: NodeJS.Timeout | undefined;
  let turns = 0;

  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    const network = remoteAddress && !trustedProxies.has(remoteAddress) ? networkOf(remoteAddress) : "";
    connections.set(socket, new Connection(socket, network));
    timer ??= setInterval(sweep, sweepMs).unref();
    socket.once("close", () => forget(socket));
  });
  for (const event of ["request", "checkContinue"]) {
    server.on(event, (req: IncomingMessage, res: ServerResponse) => connections.get(req.socket)?.begin(req, res));
  }
  server.on("upgrade", (req: IncomingMessage) => forget(req.socket));

  function forget(socket: Socket): void {
    connections.delete(socket);
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function sweep(): void {
    const unknown: Held[] = [];
    const others: Held[] = [];
    // There may be many known connections, and whose they are is known.
    const isTurnOfAll = turns++ % 10 === 0;
    for (const connection of connections.values()) {
      if (isUnknown(connection.socket)) unknown.push({ connection, bytes: connection.look({ isStranger: true }) });
      else if (isTurnOfAll) others.push({ connection, bytes: connection.look({ isStranger: false }) });
    }
    keepTo(strangers, unknown);
    keepTo(known, others);
  }

  function keepTo({ perNetworkBytes, totalBytes }: HeadShare, all: readonly Held[]): void {
    const held = all.filter(({ bytes }) => bytes > freeBytes);
    if (held.length === 0) return;
    const networks = [...Map.groupBy(held, ({ connection }) => connection.network)].map(([network, own]) => {
      const usage = { own: [...own].sort(byAge), bytes: sum(own) };
      // A balancer stands for many.
      if (network !== "") while (usage.bytes > perNetworkBytes) drop(usage);
      return usage;
    });
    let bytes = networks.reduce((total, usage) => total + usage.bytes, 0);
    while (bytes > totalBytes) {
      const greediest = networks.reduce((most, usage) => (usage.bytes > most.bytes ? usage : most));
      bytes -= drop(greediest);
    }
  }

  /** Closes the oldest: an honest client sends its head within a moment. */
  function drop(usage: { own: Held[]; bytes: number }): number {
    const oldest = usage.own.shift() as Held;
    usage.bytes -= oldest.bytes;
    const { connection } = oldest;
    // A client that got the refusal and still sends is cut off.
    if (connection.isRefused) connection.socket.destroy();
    else bound.refuse(connection.socket);
    connection.isRefused = true;
    return oldest.bytes;
  }
}

interface Held {
  readonly connection: Connection;
  readonly bytes: number;
}

/** Counts the bytes of a connection's unfinished head, and those of the heads of its unanswered requests. */
class Connection {
  readonly socket: Socket;
  /** Empty for a balancer's. */
  readonly network: string;
  isRefused = false;
  /** The time since when it has held much. */
  since: number | undefined;
  #readBytes = 0;
  #isInBody = false;
  #requests: { readonly req: IncomingMessage; readonly res: ServerResponse; readonly bytes: number }[] = [];

  constructor(socket: Socket, network: string) {
    this.socket = socket;
    this.network = network;
  }

  begin(req: IncomingMessage, res: ServerResponse): void {
    const { bytesRead } = this.socket;
    this.#requests.push({ req, res, bytes: bytesRead - this.#readBytes });
    this.#readBytes = bytesRead;
    const { "content-length": length = "0", "transfer-encoding": encoding } = req.headers;
    this.#isInBody = length !== "0" || encoding !== undefined;
  }

  look({ isStranger }: { readonly isStranger: boolean }): number {
    const { bytesRead } = this.socket;
    // The last bytes of a body look like a head's. They are forgiven whom the hub knows, for their uploads may be large.
    const isInBody = this.#isInBody && this.#requests.at(-1)?.req.complete === false;
    if (isInBody || (this.#isInBody && !isStranger)) this.#readBytes = bytesRead;
    this.#isInBody = isInBody;
    this.#requests = this.#requests.filter(({ req, res }) => !req.complete || !res.closed);
    const unfinishedBytes = bytesRead - this.#readBytes;
    const bytes = isStranger ? this.#requests.reduce((sum, one) => sum + one.bytes, unfinishedBytes) : unfinishedBytes;
    this.since = bytes > freeBytes ? (this.since ?? performance.now()) : undefined;
    return bytes;
  }
}

function byAge(one: Held, other: Held): number {
  return (one.connection.since ?? 0) - (other.connection.since ?? 0);
}

function sum(held: readonly Held[]): number {
  return held.reduce((total, { bytes }) => total + bytes, 0);
}

/** Bytes that count for no share; nearly all heads are smaller. */
const freeBytes = 65_536;
const defaultStrangers: HeadShare = { perNetworkBytes: 16 * 1_048_576, totalBytes: 64 * 1_048_576 };
const defaultKnown: HeadShare = { perNetworkBytes: 64 * 1_048_576, totalBytes: 128 * 1_048_576 };
