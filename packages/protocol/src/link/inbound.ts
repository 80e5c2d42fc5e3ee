// The peer's direction of a stream: headless (opener before HEAD) -> open -> ended. Each input says whether the peer may
// do this now; a breach costs the stream and nothing else.
import type { CreditPool } from "./credit-pool.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { type OpenHead, type RawHeaders, type ResetCode, type ResponseHead, resetCodes } from "./types.ts";
import { type TunerOptions, WindowTuner } from "./window-tuner.ts";

export type Receiving = "headless" | "open" | "ended";

export interface Breach {
  readonly code: ResetCode;
  readonly text: string;
}

export class Inbound {
  readonly window: ReceiveWindow;
  state: Receiving;
  #offset = 0;
  /** What came on the bulk lane before all that was sent on the other had come; in order among itself. */
  #early: EarlyData[] = [];
  #earlyOffset = 0;
  #earlyTrailers: RawHeaders | undefined;

  constructor(options: { readonly isOpener: boolean; readonly pool: CreditPool; readonly tuning: TunerOptions }) {
    this.window = new ReceiveWindow(options.pool, new WindowTuner(options.tuning));
    this.state = options.isOpener ? "headless" : "open";
  }

  head(open: OpenHead, head: ResponseHead, fin: boolean): Breach | undefined {
    if (this.state !== "headless") return secondHead;
    if (head.status === 101 && !open.upgrade) return unaskedUpgrade;
    this.state = fin ? "ended" : "open";
    return undefined;
  }

  get receivedBytes(): number {
    return this.#offset;
  }

  /** Whether what comes now has to wait for what isn't there yet. */
  get hasEarly(): boolean {
    return this.#early.length > 0;
  }

  /** The end is here, and not all that goes before it. */
  get hasEarlyEnd(): boolean {
    return this.#earlyTrailers !== undefined || this.#early.at(-1)?.fin === true;
  }

  data(sizeBytes: number, offset: number, fin: boolean): Breach | undefined {
    if (this.state !== "open") return strayData;
    if (offset !== this.#offset) return wrongOffset;
    const early = this.#early[0];
    if (early !== undefined && (fin || offset + sizeBytes > early.offset)) return wrongOffset;
    if (!this.window.receive(sizeBytes)) return tooMuchData;
    this.#offset += sizeBytes;
    if (fin) this.state = "ended";
    return undefined;
  }

  /** Data ahead of its turn, from a peer that sends on two lanes. */
  earlyData(bytes: Uint8Array, offset: number, fin: boolean): Breach | undefined {
    if (this.state !== "open") return strayData;
    if (this.hasEarlyEnd) return strayData;
    if (offset < this.#offset || (this.hasEarly && offset !== this.#earlyOffset)) return wrongOffset;
    if (!this.window.receive(bytes.byteLength)) return tooMuchData;
    this.#earlyOffset = offset + bytes.byteLength;
    this.#keepEarly({ bytes, offset, fin });
    return undefined;
  }

  /** The next of it when its turn has come. */
  takeEarly(): EarlyData | undefined {
    const early = this.#early[0];
    if (early?.offset !== this.#offset) return undefined;
    this.#early.shift();
    this.#offset += early.bytes.byteLength;
    if (early.fin) this.state = "ended";
    return early;
  }

  end(): Breach | undefined {
    if (this.state !== "open") return strayEnd;
    this.state = "ended";
    return undefined;
  }

  /** The end came before all of the data. */
  earlyEnd(trailers: RawHeaders): Breach | undefined {
    if (this.state !== "open" || this.hasEarlyEnd) return strayEnd;
    this.#earlyTrailers = trailers;
    return undefined;
  }

  takeEarlyEnd(): RawHeaders | undefined {
    const trailers = this.#earlyTrailers;
    if (trailers === undefined || this.hasEarly) return undefined;
    this.#earlyTrailers = undefined;
    return this.end() === undefined ? trailers : undefined;
  }

  /** Credit bounds the bytes; what comes in crumbs is put together, or the pieces would cost many times as much. */
  #keepEarly(early: EarlyData): void {
    const last = this.#early.at(-1);
    if (early.bytes.byteLength === 0 && !early.fin) return;
    if (last === undefined || last.bytes.byteLength + early.bytes.byteLength > crumbBytes) this.#early.push(early);
    else this.#early.splice(-1, 1, { ...early, bytes: Buffer.concat([last.bytes, early.bytes]), offset: last.offset });
  }

  drop(): void {
    this.#early = [];
    this.window.release();
  }
}

export interface EarlyData {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly fin: boolean;
}

const crumbBytes = 4_096;
const secondHead: Breach = { code: resetCodes.protocol, text: "a head that nobody waits for" };
const unaskedUpgrade: Breach = { code: resetCodes.protocol, text: "101 without an upgrade" };
const strayData: Breach = { code: resetCodes.protocol, text: "data outside of the body" };
const wrongOffset: Breach = { code: resetCodes.protocol, text: "data at the wrong offset" };
const strayEnd: Breach = { code: resetCodes.protocol, text: "an end outside of the body" };
const tooMuchData: Breach = { code: resetCodes.flowControl, text: "data beyond credit" };
