// Bounds how many TLS handshakes are under way at once. Each takes the hub's thread a millisecond or two, so when
// thousands of agents dial together, most would give up half done and dial again. A connection that waits for its turn
// costs nothing but its first bytes, which come with the turn. A connection whose client has gone is dropped before it
// costs a handshake. Only a few begin in each round of the event loop, so that whatever else the hub is asked gets the
// thread between.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Clock, systemClock } from "@fairlead/kernel";
import { createWaitingRoom } from "./waiting-room.ts";

export interface HandshakeTurns {
  /** The connection's handshake is over. */
  end(socket: Socket): void;
}

/** To be called while the server's own listener is the only one for its connections. */
export function takeHandshakeTurns(
  server: Server,
  options: {
    /** Networks get turns in equal parts. Undefined: the connection counts as a network of its own. */
    readonly networkOf: (socket: Socket) => string | undefined;
    readonly atOnce?: number;
    readonly clock?: Clock;
    readonly random?: () => number;
  },
): HandshakeTurns {
  const { networkOf, atOnce = handshakesAtOnce, clock = systemClock, random = Math.random } = options;
  const shakeHands = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  const waiting = createWaitingRoom<Arrived>({ random });
  const underWay = new Map<Socket, () => void>();
  /** In this round of the event loop. */
  let begun = 0;

  server.on("connection", (socket: Socket) => {
    const cancel = clock.after(patienceMs, () => socket.destroy());
    const arrived: Arrived = { socket, network: networkOf(socket) ?? socket, chunks: [], settle };
    let sizeBytes = 0;
    socket.on("data", receive).once("end", giveUp).on("error", giveUp).once("close", leave);

    function receive(chunk: Buffer): void {
      sizeBytes += chunk.byteLength;
      if (arrived.chunks.push(chunk) === 1) waiting.enter(arrived);
      if (sizeBytes > mostWaitingBytes) socket.destroy();
      beginNext();
    }
    function giveUp(): void {
      socket.destroy();
    }
    function leave(): void {
      settle();
      waiting.leave(arrived);
      end(socket);
    }
    function settle(): void {
      cancel();
      socket.off("data", receive).off("end", giveUp).off("error", giveUp);
    }
  });

  return { end };

  function beginNext(): void {
    while (underWay.size < atOnce && begun < mostInARound) {
      const next = waiting.takeOne();
      if (next === undefined) return;
      const { socket, chunks, settle } = next;
      settle();
      // Its `close` comes a tick later.
      if (socket.destroyed) continue;
      // A client that is slow to answer, or means to be, holds up nobody.
      underWay.set(
        socket,
        clock.after(slowMs, () => end(socket)),
      );
      // TLS reads what is in the socket's buffer a tick later. A socket that flows would have thrown it away by then.
      socket.pause();
      socket.unshift(Buffer.concat(chunks));
      for (const listener of shakeHands) listener.call(server, socket);
      if (begun++ === 0) setImmediate(endRound);
    }
  }

  function endRound(): void {
    begun = 0;
    beginNext();
  }

  function end(socket: Socket): void {
    const cancel = underWay.get(socket);
    if (cancel === undefined) return;
    cancel();
    underWay.delete(socket);
    beginNext();
  }
}

interface Arrived {
  readonly socket: Socket;
  readonly network: unknown;
  /** The bytes that the client has sent so far. */
  readonly chunks: Buffer[];
  readonly settle: () => void;
}

const handshakesAtOnce = 48;
/** Each costs half a millisecond right there, and what it comes to another few in rounds to come. */
const mostInARound = 4;
/** A turn lasts no longer. The thread computes all handshakes at once in less; a client far away needs more. */
const slowMs = 250;
/** As long as a handshake may take. Agents wait for 3 to 15 s, and then dial again. */
const patienceMs = 10_000;
/** A client's first words are hardly half of that. */
const mostWaitingBytes = 8_192;
