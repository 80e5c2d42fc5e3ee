// The peer's direction of a stream: headless (opener before HEAD) -> open -> ended. Each input says whether the peer may
// do this now; a breach costs the stream and nothing else.
import type { CreditPool } from "./credit-pool.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { type OpenHead, type ResetCode, type ResponseHead, resetCodes } from "./types.ts";
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

  data(sizeBytes: number, offset: number, fin: boolean): Breach | undefined {
    if (this.state !== "open") return strayData;
    if (offset !== this.#offset) return wrongOffset;
    if (!this.window.receive(sizeBytes)) return tooMuchData;
    this.#offset += sizeBytes;
    if (fin) this.state = "ended";
    return undefined;
  }

  end(): Breach | undefined {
    if (this.state !== "open") return strayEnd;
    this.state = "ended";
    return undefined;
  }
}

const secondHead: Breach = { code: resetCodes.protocol, text: "a head that nobody waits for" };
const unaskedUpgrade: Breach = { code: resetCodes.protocol, text: "101 without an upgrade" };
const strayData: Breach = { code: resetCodes.protocol, text: "data outside of the body" };
const wrongOffset: Breach = { code: resetCodes.protocol, text: "data at the wrong offset" };
const strayEnd: Breach = { code: resetCodes.protocol, text: "an end outside of the body" };
const tooMuchData: Breach = { code: resetCodes.flowControl, text: "data beyond credit" };
