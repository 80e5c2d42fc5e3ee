// Finds where a server's replies end, in RESP2 and RESP3, without keeping any of them. Values of any size pass by.
import { resourceTreeErrors } from "../errors.ts";

export interface Passage {
  /** So many bytes belong to the reply that was begun. */
  readonly bytes: number;
  /** Its end is among them. A push answers nothing: it may come between replies. */
  readonly ended: "reply" | "push" | undefined;
}

export class ReplyFrames {
  #line = "";
  #isInLine = true;
  /** Bytes of a value that are still to come, with the line's end behind them. */
  #leftBytes = 0;
  /** How many elements are missing, from the outermost aggregate in. Attributes stand before an element and are none. */
  readonly #aggregates: { left: number; readonly isAttribute: boolean }[] = [];
  #isPush = false;
  #isBegun = false;

  /** Nothing of the next reply is there yet. */
  get isBetween(): boolean {
    return !this.#isBegun;
  }

  /** Goes on to the end of the reply or of the chunk. Throws RESOURCE_TREE_PROTOCOL. */
  pass(chunk: Buffer): Passage {
    let at = 0;
    while (at < chunk.length) {
      this.#isBegun = true;
      const isElement = this.#isInLine ? this.#passLine(chunk, at) : this.#passValue(chunk, at);
      at += isElement.bytes;
      if (!isElement.ended || !this.#endElement()) continue;
      const ended = this.#isPush ? "push" : "reply";
      this.#isPush = false;
      this.#isBegun = false;
      return { bytes: at, ended };
    }
    return { bytes: at, ended: undefined };
  }

  #passLine(chunk: Buffer, at: number): { bytes: number; ended: boolean } {
    const end = chunk.indexOf(0x0a, at);
    const bytes = (end < 0 ? chunk.length : end + 1) - at;
    // Only the type of a text counts.
    if (this.#line.length < longestLength)
      this.#line += chunk.toString("latin1", at, at + Math.min(bytes, longestLength));
    if (end < 0) return { bytes, ended: false };
    const ended = this.#readLine(this.#line);
    this.#line = "";
    return { bytes, ended };
  }

  /** True when the line is an element by itself. */
  #readLine(line: string): boolean {
    const type = line[0] ?? "";
    if (texts.has(type)) return true;
    const count = /^[$!=*~>%|](-?\d{1,10})\r\n$/.exec(line)?.[1];
    if (count === undefined) throw protocol(`a reply has the type ${JSON.stringify(type)}`);
    const length = Number(count);
    if (values.has(type)) {
      if (length < 0) return true;
      this.#leftBytes = length + 2;
      this.#isInLine = false;
      return false;
    }
    if (type === ">" && this.#aggregates.length === 0) this.#isPush = true;
    const isAttribute = type === "|";
    const left = length * (type === "%" || isAttribute ? 2 : 1);
    if (left <= 0) return !isAttribute;
    if (this.#aggregates.length === deepest) throw protocol("a reply has too many levels");
    this.#aggregates.push({ left, isAttribute });
    return false;
  }

  #passValue(chunk: Buffer, at: number): { bytes: number; ended: boolean } {
    const bytes = Math.min(this.#leftBytes, chunk.length - at);
    this.#leftBytes -= bytes;
    if (this.#leftBytes > 0) return { bytes, ended: false };
    this.#isInLine = true;
    return { bytes, ended: true };
  }

  /** True when the whole reply has ended with it. */
  #endElement(): boolean {
    for (let last = this.#aggregates.at(-1); last; last = this.#aggregates.at(-1)) {
      last.left -= 1;
      if (last.left > 0) return false;
      this.#aggregates.pop();
      if (last.isAttribute) return false;
    }
    return true;
  }
}

function protocol(reason: string): Error {
  return resourceTreeErrors.RESOURCE_TREE_PROTOCOL({ reason });
}

const texts: ReadonlySet<string> = new Set(["+", "-", ":", "_", ",", "#", "("]);
const values: ReadonlySet<string> = new Set(["$", "!", "="]);
const longestLength = 16;
const deepest = 32;
