// Cuts the JSON of a list (`{"kind":"PodList","metadata":{…},"items":[{…},{…}]}`) into its items while it arrives, so
// that no list is ever held whole. `metadata` comes before `items` for built-in kinds and after them for custom
// resources. Only depth and strings are followed; JSON.parse judges what is between.
import { kubeErrors } from "../errors/index.ts";
import { maxObjectBytes } from "./split-lines.ts";

export class ListSplitter {
  readonly #maxBytes: number;
  /** Pieces of the item that isn't whole yet. */
  #pieces: Buffer[] = [];
  #sizeBytes = 0;
  /** All that is outside of the items. */
  #outside = "";
  #depth = 0;
  #isInItems = false;
  #isInString = false;
  #isEscaped = false;

  constructor(maxBytes: number = maxObjectBytes) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<string, void, void> {
    const { length } = chunk;
    let depth = this.#depth;
    /** Where what isn't given away yet begins. */
    let start = 0;
    let at = this.#isInString ? this.#skipString(chunk, 0) : 0;
    for (; at < length; at++) {
      const byte = chunk[at];
      if (byte === quote) {
        at = this.#skipString(chunk, at + 1) - 1;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        if (depth > itemDepth) continue;
        if (this.#isInItems) {
          // Between the items are only commas and spaces.
          start = at;
        } else if (depth === itemDepth - 1 && byte === openBracket) {
          this.#keepOutside(chunk.subarray(start, at + 1));
          start = at + 1;
          this.#isInItems = isItemsKey.test(this.#outside);
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth >= itemDepth || !this.#isInItems) continue;
        if (depth === itemDepth - 1) {
          yield this.#finish(chunk.subarray(start, at + 1));
          start = at + 1;
        } else {
          this.#isInItems = false;
          start = at;
        }
      }
    }
    this.#depth = depth;
    if (!this.#isInItems) this.#keepOutside(chunk.subarray(start));
    else if (depth >= itemDepth) this.#keep(chunk.subarray(start));
  }

  /** The list's own JSON, without the items. */
  end(): string {
    return this.#outside;
  }

  /** From inside a string to behind its end, or to the chunk's. */
  #skipString(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    for (; at < length; at++) {
      const byte = chunk[at];
      if (byte === quote) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte === backslash) at++;
    }
    this.#isInString = true;
    this.#isEscaped = at > length;
    return length;
  }

  #finish(last: Buffer): string {
    if (this.#pieces.length === 0) return last.toString("utf8");
    this.#keep(last);
    const item = Buffer.concat(this.#pieces, this.#sizeBytes).toString("utf8");
    this.#pieces = [];
    this.#sizeBytes = 0;
    return item;
  }

  #keep(piece: Buffer): void {
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) throw kubeErrors.KUBE_ANSWER_TOO_LARGE({ limitBytes: this.#maxBytes });
    this.#pieces.push(piece);
  }

  #keepOutside(piece: Buffer): void {
    if (this.#outside.length + piece.length > maxOutsideBytes)
      throw kubeErrors.KUBE_ANSWER_TOO_LARGE({ limitBytes: maxOutsideBytes });
    this.#outside += piece.toString("latin1");
  }
}

/** The list is 1, its array of items 2. */
const itemDepth = 3;
const isItemsKey = /"items"\s*:\s*\[$/;
const maxOutsideBytes = 1024 * 1024;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
