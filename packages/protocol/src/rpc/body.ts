// Bodies as Connect wants them, async iterables, over a stream's callbacks. Credit goes back when a chunk is pulled, so a
// call that doesn't read holds its own stream up and nothing else.
import type { FairleadError } from "@fairlead/kernel";
import type { LinkStream } from "../link/index.ts";

/** The peer's direction. Read by one consumer. */
export class BodyReader implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #onAbandoned: () => void;
  readonly #silenceMs: number | undefined;
  #stream: LinkStream | undefined;
  #state: { is: "open" } | { is: "ended" } | { is: "failed"; error: unknown } | { is: "abandoned" } = { is: "open" };
  #wake: (() => void) | undefined;

  constructor(options: {
    readonly onAbandoned: () => void;
    /** How long the peer may leave a consumer waiting that has taken all there was. */
    readonly silenceMs?: number;
  }) {
    this.#onAbandoned = options.onAbandoned;
    this.#silenceMs = options.silenceMs;
  }

  attach(stream: LinkStream): void {
    this.#stream = stream;
  }

  push(chunk: Uint8Array): void {
    if (this.#state.is === "abandoned") {
      this.#stream?.consumed(chunk.byteLength);
      return;
    }
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  end(): void {
    if (this.#state.is === "open") this.#state = { is: "ended" };
    this.#wake?.();
  }

  fail(error: unknown): void {
    if (this.#state.is === "open") this.#state = { is: "failed", error };
    this.#wake?.();
  }

  /** Bytes that came and still come are taken and thrown away. */
  abandon(): void {
    const wasOpen = this.#state.is === "open";
    this.#state = { is: "abandoned" };
    for (const chunk of this.#chunks.splice(0)) this.#stream?.consumed(chunk.byteLength);
    this.#wake?.();
    if (wasOpen) this.#onAbandoned();
  }

  #isAbandoned(): boolean {
    return this.#state.is === "abandoned";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while (true) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#stream?.consumed(chunk.byteLength);
          yield chunk;
          continue;
        }
        if (this.#state.is === "failed") throw this.#state.error;
        if (this.#state.is !== "open") return;
        if (this.#silenceMs !== undefined) this.#stream?.endWithin(this.#silenceMs);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
        // The reader that abandoned it may have given it another time.
        if (this.#silenceMs !== undefined && !this.#isAbandoned()) this.#stream?.endWithin(undefined);
      }
    } finally {
      this.abandon();
    }
  }
}

/** Our direction: waits for credit between chunks. */
export class BodyWriter {
  #wake: (() => void) | undefined;
  #isOver = false;

  /** From the stream's `onWritable`. */
  writable(): void {
    this.#wake?.();
  }

  /** The stream is over: what isn't written won't be. */
  stop(_error?: FairleadError): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** True when everything was written and the stream is still there to be ended. */
  async pump(body: AsyncIterable<Uint8Array>, stream: LinkStream): Promise<boolean> {
    for await (const chunk of body) {
      if (this.#isOver) return false;
      if (stream.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    return !this.#isOver;
  }
}
