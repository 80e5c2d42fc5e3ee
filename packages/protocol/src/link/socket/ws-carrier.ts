// Frames over a socket of `ws`. `ws` does the handshake, the receiving and the closing; frames are written to its
// socket here, because its own `send` costs two writes and three objects per message. Small frames are put together in
// one buffer, and large payloads go by reference, corked with them. The first frames of a turn of the event loop leave
// as soon as the callback is done that sent them: a lone request waits for nothing. Frames of other callbacks in the
// same turn leave in one write at the end of the turn, since a write costs as much as all else that a request does.
// `ws` writes its own control frames whole and synchronously, so that nothing interleaves (no deflate: see ws-link.ts).
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Carrier } from "../wire/index.ts";
import { type Due, nextDue } from "./due.ts";

export interface CarrierEvents {
  /** There is room, or the turn in which something was sent is done. */
  writable(): void;
}

export class WsCarrier implements Carrier {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  /** Clients set the mask bit; the mask itself is zero, and the bytes stay as they are. */
  readonly #maskBytes: 0 | 4;
  readonly #highWaterBytes: number;
  readonly #onWritten: () => void;
  #events: CarrierEvents = { writable() {} };
  #slab: Buffer = emptySlab;
  #start = 0;
  #end = 0;
  #due: Due = "nothing";
  #isCorked = false;
  #isContinuing = false;

  constructor(options: { webSocket: WebSocket; socket: Duplex; isClient: boolean; highWaterBytes: number }) {
    this.#webSocket = options.webSocket;
    this.#socket = options.socket;
    this.#maskBytes = options.isClient ? 4 : 0;
    this.#highWaterBytes = options.highWaterBytes;
    const goOn = (): void => {
      this.#isContinuing = false;
      this.#events.writable();
    };
    // This waits: a fast network would keep us sending, and incoming frames unread, until all credit is used up.
    this.#onWritten = () => {
      if (this.#isContinuing || this.bufferedBytes >= this.#highWaterBytes) return;
      this.#isContinuing = true;
      setImmediate(goOn);
    };
  }

  bind(events: CarrierEvents): void {
    this.#events = events;
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength + this.#end - this.#start;
  }

  send(head: Uint8Array, headBytes: number, payload: readonly Uint8Array[] = noPayload, payloadBytes = 0): void {
    if (this.#webSocket.readyState !== openState) return;
    this.#reserve(maxWsHeaderBytes + headBytes);
    this.#writeWsHeader(headBytes + payloadBytes);
    this.#append(headBytes === head.byteLength ? head : head.subarray(0, headBytes));
    for (const chunk of payload) this.#sendChunk(chunk);
    this.requestFlush();
  }

  requestFlush(isBulk = false): void {
    const before = this.#due;
    this.#due = nextDue(before, isBulk ? "bulk" : "frame");
    if (before === "nothing") setImmediate(endTurn, this);
    if (this.#due === "after-callback" && before !== "after-callback") process.nextTick(endCallback, this);
  }

  endCallback(): void {
    this.#flush();
    this.#due = nextDue(this.#due, "callback-ended");
  }

  endTurn(): void {
    if (this.#due === "after-turn" || this.#due === "bulk-after-turn") this.#flush();
    this.#due = nextDue(this.#due, "turn-ended");
  }

  close(code: number, text: string): void {
    this.#writeOut();
    this.#uncork();
    // A reason may take 123 bytes; our texts are ASCII.
    this.#webSocket.close(code, text.slice(0, 120));
    const timer = setTimeout(() => this.#webSocket.terminate(), closeTimeoutMs);
    timer.unref();
    this.#webSocket.once("close", () => clearTimeout(timer));
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  #flush(): void {
    this.#events.writable();
    this.#writeOut();
    this.#uncork();
  }

  /** RFC 6455 §5.2: FIN and binary, no extension bits. */
  #writeWsHeader(sizeBytes: number): void {
    const slab = this.#slab;
    let at = this.#end;
    const maskBit = this.#maskBytes === 0 ? 0 : 0x80;
    slab[at++] = 0x82;
    if (sizeBytes < 126) {
      slab[at++] = maskBit | sizeBytes;
    } else if (sizeBytes < 65_536) {
      slab[at++] = maskBit | 126;
      slab[at++] = sizeBytes >>> 8;
      slab[at++] = sizeBytes & 0xff;
    } else {
      slab[at++] = maskBit | 127;
      at = slab.writeUInt32BE(0, at);
      at = slab.writeUInt32BE(sizeBytes, at);
    }
    for (let left = this.#maskBytes; left > 0; left--) slab[at++] = 0;
    this.#end = at;
  }

  #sendChunk(chunk: Uint8Array): void {
    if (chunk.byteLength <= inlineBytes) {
      this.#reserve(chunk.byteLength);
      this.#append(chunk);
      return;
    }
    this.#cork();
    this.#writeOut();
    this.#socket.write(chunk, this.#onWritten);
  }

  #append(bytes: Uint8Array): void {
    this.#slab.set(bytes, this.#end);
    this.#end += bytes.byteLength;
  }

  #writeOut(): void {
    if (this.#end === this.#start) return;
    this.#socket.write(this.#slab.subarray(this.#start, this.#end), this.#onWritten);
    this.#start = this.#end;
  }

  /** A new slab when this one is full; the old one lives on until the socket has written what points into it. */
  #reserve(neededBytes: number): void {
    if (neededBytes <= this.#slab.byteLength - this.#end) return;
    // All of it is written: the pings of an idle link would otherwise ask for a larger one again and again.
    if (this.bufferedBytes === 0 && neededBytes <= this.#slab.byteLength) {
      this.#start = 0;
      this.#end = 0;
      return;
    }
    if (this.#end > this.#start) {
      this.#cork();
      this.#writeOut();
    }
    // Idle links stay with a small one.
    const sizeBytes = Math.min(Math.max(this.#slab.byteLength * 2, minSlabBytes), maxSlabBytes);
    this.#slab = Buffer.allocUnsafeSlow(Math.max(sizeBytes, neededBytes));
    this.#start = 0;
    this.#end = 0;
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
  }

  #uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  }
}

function endCallback(carrier: WsCarrier): void {
  carrier.endCallback();
}

function endTurn(carrier: WsCarrier): void {
  carrier.endTurn();
}

const noPayload: readonly Uint8Array[] = [];
const openState = 1;
const maxWsHeaderBytes = 14;
const inlineBytes = 4_096;
const minSlabBytes = 2_048;
const maxSlabBytes = 65_536;
const closeTimeoutMs = 1_000;
const emptySlab: Buffer = Buffer.alloc(0);
