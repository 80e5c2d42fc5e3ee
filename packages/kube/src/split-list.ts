// Cuts the JSON of a list (`{"kind":"PodList","metadata":{…},"items":[{…},{…}]}`) into its items while it arrives, so
// that no list is ever held whole. `metadata` comes before `items` for built-in kinds and after them for custom
// resources. Only depth and strings are followed; JSON.parse judges what is between.
import { kubeAnswerTooLarge } from "./errors.ts";
import { maxObjectBytes } from "./split-lines.ts";

export class ListSplitter {
  readonly #maxBytes: number;
  /** Of the item that isn't whole yet. */
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
    /** Where what isn't given away yet begins. */
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
        continue;
      }
      if (byte === quote) {
        this.#isInString = true;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#isInItems) {
          // Between the items are only commas and spaces.
          if (this.#depth === itemDepth) start = at;
        } else if (this.#depth === itemDepth - 1 && byte === openBracket) {
          this.#keepOutside(chunk.subarray(start, at + 1));
          start = at + 1;
          this.#isInItems = isItemsKey.test(this.#outside);
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (!this.#isInItems) continue;
        if (this.#depth === itemDepth - 1) {
          yield this.#finish(chunk.subarray(start, at + 1));
          start = at + 1;
        } else if (this.#depth < itemDepth - 1) {
          this.#isInItems = false;
          start = at;
        }
      }
    }
    if (!this.#isInItems) this.#keepOutside(chunk.subarray(start));
    else if (this.#depth >= itemDepth) this.#keep(chunk.subarray(start));
  }

  /** The list's own JSON, without the items. */
  end(): string {
    return this.#outside;
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
    if (this.#sizeBytes > this.#maxBytes) throw kubeAnswerTooLarge(this.#maxBytes);
    this.#pieces.push(piece);
  }

  #keepOutside(piece: Buffer): void {
    if (this.#outside.length + piece.length > maxOutsideBytes) throw kubeAnswerTooLarge(maxOutsideBytes);
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
