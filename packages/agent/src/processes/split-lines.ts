// Cuts what a program writes into lines. A line that has no end for too long comes in pieces, so that none is ever held
// whole. Bytes that aren't UTF-8 become U+FFFD.
import { StringDecoder } from "node:string_decoder";

export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  readonly #maxLength: number;
  #rest = "";

  constructor(options: { readonly onLine: (line: string) => void; readonly maxLength?: number }) {
    this.#onLine = options.onLine;
    this.#maxLength = options.maxLength ?? 64 * 1024;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  end(): void {
    this.#take(this.#decoder.end());
    if (this.#rest !== "") this.#onLine(this.#rest);
    this.#rest = "";
  }

  #take(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = this.#rest + text.slice(from, at);
      this.#rest = "";
      from = at + 1;
      this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    }
    this.#rest += text.slice(from);
    while (this.#rest.length > this.#maxLength) {
      this.#onLine(this.#rest.slice(0, this.#maxLength));
      this.#rest = this.#rest.slice(this.#maxLength);
    }
  }
}
