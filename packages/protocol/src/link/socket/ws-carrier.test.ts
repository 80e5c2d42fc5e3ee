import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { createCarrier } from "./connection.ts";
import { openSocketPair, type SocketPair } from "./link-pair.fixture.ts";
import type { WsCarrier } from "./ws-carrier.ts";

let sockets: SocketPair;
let carrier: WsCarrier;
/** Sizes of what was written to the socket, a write each. */
let writes: number[];
/** The memory that they were written from. */
let slabs: Set<ArrayBufferLike>;

beforeEach(async () => {
  sockets = await openSocketPair();
  carrier = createCarrier({ webSocket: sockets.hubSocket, isClient: false, highWaterBytes: 65_536 });
  writes = [];
  slabs = new Set();
  const { _socket: socket } = sockets.hubSocket as WebSocket & { readonly _socket: Duplex };
  const write = socket._write.bind(socket);
  socket._write = (chunk: Buffer, encoding, done) => {
    writes.push(chunk.byteLength);
    slabs.add(chunk.buffer);
    write(chunk, encoding, done);
  };
});
afterEach(() => sockets.close());

const small: Buffer = Buffer.alloc(98);
/** The number includes the two bytes that a WebSocket puts before a frame. */
const smallBytes = 100;

function send(): void {
  carrier.send(small, small.byteLength);
}

/** Each in a callback of its own, all in one turn of the event loop. */
function inOneTurn(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) setImmediate(callback);
}

it("writes what a callback sends as soon as it is done, in one write", async () => {
  let before: number[] | undefined;
  inOneTurn([
    () => {
      send();
      send();
    },
    () => {
      before = [...writes];
    },
  ]);
  await nextTurn();
  expect(before).toEqual([2 * smallBytes]);
});

it("puts what other callbacks of the same turn send into one write at its end", async () => {
  inOneTurn(Array.from({ length: 20 }, () => send));
  await nextTurn();
  await nextTurn();
  expect(writes).toEqual([smallBytes, 19 * smallBytes]);
});

it("begins each turn anew", async () => {
  for (let turn = 0; turn < 3; turn++) {
    inOneTurn([send]);
    await nextTurn();
    await nextTurn();
  }
  expect(writes).toEqual([smallBytes, smallBytes, smallBytes]);
});

it("lets bulk wait for the end of the turn, and no small frame behind it", async () => {
  const flushed: string[] = [];
  carrier.bind({ writable: () => void flushed.push("writable") });
  let between: unknown[] = [];
  inOneTurn([
    () => carrier.requestFlush(true),
    () => {
      between = [...flushed, ...writes];
      send();
    },
    () => {
      between.push(...writes);
    },
  ]);
  await nextTurn();
  await nextTurn();
  expect(between).toEqual([smallBytes]);
  expect(flushed.length).toBeGreaterThan(0);
});

it("takes no more memory for the pings of hours", async () => {
  for (let sent = 1; sent <= 200; sent++) {
    send();
    await waitUntil(() => writes.length === sent && carrier.bufferedBytes === 0, { timeoutMs: 10_000, intervalMs: 1 });
  }
  expect(writes).toEqual(Array.from({ length: 200 }, () => smallBytes));
  expect(slabs.size).toBe(1);
});
