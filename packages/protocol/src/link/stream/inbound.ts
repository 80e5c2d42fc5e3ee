// The bytes of the peer's direction of a stream: how far they have come, what they may cost, and what came ahead of its
// turn on another lane. The stream's state says whether any may come; a breach costs the stream and nothing else.
import { type RawHeaders, type ResetCode, resetCodes } from "../wire/index.ts";
import type { ReceiveWindow } from "./receive-window.ts";

export interface Breach {
  readonly code: ResetCode;
  readonly text: string;
}

export class Inbound {
  readonly window: ReceiveWindow;
  /** Handed on, or about to be. */
  receivedBytes = 0;
  /** These are in order among themselves. */
  #early: EarlyData[] = [];
  #earlyOffset = 0;
  #trailers: RawHeaders = [];

  constructor(window: ReceiveWindow) {
    this.window = window;
  }

  /** True when data has come that has to wait for earlier data. */
  get hasEarly(): boolean {
    return this.#early.length > 0;
  }

  data(sizeBytes: number, offset: number, fin: boolean): Breach | undefined {
    if (offset !== this.receivedBytes) return wrongOffset;
    const early = this.#early[0];
    if (early !== undefined && (fin || offset + sizeBytes > early.offset)) return wrongOffset;
    if (!this.window.receive(sizeBytes)) return tooMuchData;
    this.receivedBytes += sizeBytes;
    return undefined;
  }

  /** Data ahead of its turn, from a peer that sends on two lanes. */
  earlyData(bytes: Uint8Array, offset: number, fin: boolean): Breach | undefined {
    if (offset < this.receivedBytes || (this.hasEarly && offset !== this.#earlyOffset)) return wrongOffset;
    if (!this.window.receive(bytes.byteLength)) return tooMuchData;
    this.#earlyOffset = offset + bytes.byteLength;
    this.#keepEarly({ bytes, offset }, fin);
    return undefined;
  }

  /** The next of it when its turn has come. */
  takeEarly(): Uint8Array | undefined {
    const early = this.#early[0];
    if (early?.offset !== this.receivedBytes) return undefined;
    this.#early.shift();
    this.receivedBytes += early.bytes.byteLength;
    return early.bytes;
  }

  /** The end came before all of the data. */
  earlyEnd(trailers: RawHeaders): void {
    this.#trailers = trailers;
  }

  /** The trailers of an end that came early. */
  get trailers(): RawHeaders {
    return this.#trailers;
  }

  drop(): void {
    this.#early = [];
    this.window.release();
  }

  /** Credit bounds the bytes; what comes in crumbs is put together, or the pieces would cost many times as much. */
  #keepEarly(early: EarlyData, fin: boolean): void {
    const last = this.#early.at(-1);
    // A frame without bytes is worth keeping only where it marks an end that nothing else marks.
    if (early.bytes.byteLength === 0 && (!fin || last !== undefined)) return;
    if (last === undefined || last.bytes.byteLength + early.bytes.byteLength > crumbBytes) this.#early.push(early);
    else this.#early.splice(-1, 1, { bytes: Buffer.concat([last.bytes, early.bytes]), offset: last.offset });
  }
}

interface EarlyData {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

const crumbBytes = 4_096;
const wrongOffset: Breach = { code: resetCodes.protocol, text: "data at the wrong offset" };
const tooMuchData: Breach = { code: resetCodes.flowControl, text: "data beyond credit" };
