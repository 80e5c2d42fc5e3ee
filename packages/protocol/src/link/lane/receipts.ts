// Counts the numbered frames that came on a lane, and says when to acknowledge them: when things are quiet, when much has
// come, or along with other frames.
import { isNumbered } from "./numbered.ts";

export class Receipts {
  /** The number of the last numbered frame that came. */
  received = 0;
  #acknowledged = 0;
  #owedBytes = 0;

  /** A frame came. `soon`: the first one since the last acknowledgement; `now`: much has come together. */
  count(message: Uint8Array): "now" | "soon" | undefined {
    if (!isNumbered(message[0])) return undefined;
    this.received++;
    const isFirst = this.#owedBytes === 0;
    this.#owedBytes += message.byteLength + frameCostBytes;
    if (this.#owedBytes >= ackEveryBytes) return "now";
    return isFirst ? "soon" : undefined;
  }

  /** An acknowledgement costs next to nothing beside a frame that goes anyway. */
  get isWorthSending(): boolean {
    return this.#owedBytes >= ackAlongBytes;
  }

  get isOwed(): boolean {
    return this.#acknowledged !== this.received;
  }

  /** The peer was told of all that has come. */
  told(): void {
    this.#acknowledged = this.received;
    this.#owedBytes = 0;
  }
}

const ackEveryBytes = 262_144;
const ackAlongBytes = 65_536;
/** Many small frames are worth an acknowledgement too. */
const frameCostBytes = 64;
