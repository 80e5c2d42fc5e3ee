import type { FairleadError } from "@fairlead/kernel";
import type { ResetCode } from "../wire/index.ts";
import { sessionErrors } from "./errors.ts";

/** Counts frames, resets and overdrafts over a link's life. */
export class Tally {
  readonly resetsByCode: Record<number, number> = {};
  receivedFrames = 0;
  receivedBytes = 0;
  #overdrafts = 0;

  countFrame(message: Uint8Array): void {
    this.receivedFrames++;
    this.receivedBytes += message.byteLength;
  }

  countReset(code: ResetCode): void {
    this.resetsByCode[code] = (this.resetsByCode[code] ?? 0) + 1;
  }

  /** A peer that oversends now and then loses those streams. Returns what ends the link of one that goes on. */
  countOverdraft(): FairleadError | undefined {
    this.#overdrafts++;
    return this.#overdrafts > mostOverdrafts
      ? sessionErrors.LINK_CREDIT_EXCEEDED({ times: this.#overdrafts })
      : undefined;
  }
}

const mostOverdrafts = 16;
