import { kubeErrors } from "../errors/index.ts";

/** Cuts a stream of bytes into lines. The pieces of a line that isn't whole yet are kept, up to a bound. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number = maxObjectBytes) {
    this.#maxBytes = maxBytes;
  }

  /** True when the stream ended in the middle of a line. */
  get isMidLine(): boolean {
    return this.#sizeBytes > 0;
  }

  *push(chunk: Buffer): Generator<string, void, void> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) break;
      const line = this.#finish(chunk.subarray(start, end));
      start = end + 1;
      if (line !== "") yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  #finish(last: Buffer): string {
    if (this.#pieces.length === 0) return last.toString("utf8");
    this.#keep(last);
    const line = Buffer.concat(this.#pieces, this.#sizeBytes).toString("utf8");
    this.#pieces = [];
    this.#sizeBytes = 0;
    return line;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) throw kubeErrors.KUBE_ANSWER_TOO_LARGE({ limitBytes: this.#maxBytes });
    this.#pieces.push(piece);
  }
}

/** etcd takes 1.5 MB unless told; as JSON, where each "<" takes six bytes, it is a few times that. */
export const maxObjectBytes: number = 32 * 1024 * 1024;
const newline = 0x0a;
