// Masks lines that are nothing but a secret which is too short to be searched for. Blanks around it don't count.
import type { KnownSecrets } from "./known-secrets.ts";

export class LineMasker {
  readonly #secrets: KnownSecrets;
  /** The beginning of a line, as long as it may be such a secret. */
  #head: Uint8Array = nothing;
  /** The next bytes belong to a line that isn't such a secret. */
  #isInside = false;

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#secrets.lines.size === 0 && this.#head.length === 0) {
      if (chunk.length > 0) this.#isInside = chunk.at(-1) !== newline;
      return chunk;
    }
    const pieces: Uint8Array[] = [];
    let from = 0;
    while (from < chunk.length) {
      const at = chunk.indexOf(newline, from);
      const until = at < 0 ? chunk.length : at + 1;
      this.#take(chunk.subarray(from, until), at >= 0, pieces);
      from = until;
    }
    return Buffer.concat(pieces);
  }

  end(): Uint8Array {
    const pieces: Uint8Array[] = [];
    if (this.#head.length > 0) this.#settle(pieces);
    this.#isInside = false;
    return Buffer.concat(pieces);
  }

  #take(part: Uint8Array, isEnd: boolean, pieces: Uint8Array[]): void {
    if (this.#isInside) {
      pieces.push(part);
      this.#isInside = !isEnd;
      return;
    }
    this.#head = Buffer.concat([this.#head, part]);
    if (isEnd) this.#settle(pieces);
    else if (this.#head.length > mostHeldBytes) {
      pieces.push(this.#head);
      this.#head = nothing;
      this.#isInside = true;
    }
  }

  #settle(pieces: Uint8Array[]): void {
    const line = Buffer.from(this.#head).toString("latin1");
    const isSecret =
      line.length <= mostHeldBytes && this.#secrets.lines.has(line.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, ""));
    if (isSecret) pieces.push(Buffer.from(line.endsWith("\n") ? "***\n" : "***"));
    else pieces.push(this.#head);
    this.#head = nothing;
  }
}

const newline = 10;
/** Longer lines are no secret of three characters, whatever blanks are around it. */
const mostHeldBytes = 64;
const nothing = new Uint8Array(0);
