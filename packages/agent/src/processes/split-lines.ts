// Cuts what a program writes into lines. A line that has no end for too long comes in pieces, each but the last said to be
// cut, so that none is ever held whole. Bytes that aren't UTF-8 become U+FFFD.
import { StringDecoder } from "node:string_decoder";

/** `isCut`: the line goes on with what comes next. */
export type OnLine = (line: string, isCut: boolean) => void;

export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: OnLine;
  readonly #maxLength: number;
  #rest = "";
  /** The last piece said that its line goes on. */
  #isCut = false;

  constructor(options: { readonly onLine: OnLine; readonly maxLength?: number }) {
    this.#onLine = options.onLine;
    this.#maxLength = options.maxLength ?? 64 * 1024;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  end(): void {
    this.#take(this.#decoder.end());
    if (this.#rest !== "" || this.#isCut) this.#give(this.#rest, false);
    this.#rest = "";
  }

  #take(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = this.#rest === "" ? text.slice(from, at) : this.#rest + text.slice(from, at);
      this.#rest = "";
      from = at + 1;
      this.#give(line.charCodeAt(line.length - 1) === carriageReturn ? line.slice(0, -1) : line, false);
    }
    this.#rest += text.slice(from);
    while (this.#rest.length > this.#maxLength) {
      const length = this.#maxLength - (isHighSurrogate(this.#rest.charCodeAt(this.#maxLength - 1)) ? 1 : 0);
      this.#give(this.#rest.slice(0, length), true);
      this.#rest = this.#rest.slice(length);
    }
  }

  #give(line: string, isCut: boolean): void {
    this.#isCut = isCut;
    this.#onLine(line, isCut);
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const carriageReturn = 13;
