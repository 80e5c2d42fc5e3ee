// Stands between a stream and its user, and counts what passes, for the log. There is one object per request, on the
// hot path.
import type { FairleadError } from "@fairlead/kernel";
import type { LinkStream, OpenHead, RawHeaders, ResetCode, ResponseHead, StreamHandlers } from "./link/index.ts";

/** Given to the link as the handlers and to the handlers as the stream; `bind` tells it of both. */
export class MeteredStream implements LinkStream, StreamHandlers {
  receivedBytes = 0;
  sentBytes = 0;
  /** By the clock that only runs forwards. */
  readonly startedMs: number = performance.now();
  #stream!: LinkStream;
  #handlers!: StreamHandlers;

  bind(ends: { readonly stream?: LinkStream; readonly handlers?: StreamHandlers }): void {
    if (ends.stream) this.#stream = ends.stream;
    if (ends.handlers) this.#handlers = ends.handlers;
  }

  get id(): number {
    return this.#stream.id;
  }

  get open(): OpenHead {
    return this.#stream.open;
  }

  respond(head: ResponseHead): void {
    this.#stream.respond(head);
  }

  write(chunk: Uint8Array): boolean {
    this.sentBytes += chunk.byteLength;
    return this.#stream.write(chunk);
  }

  end(trailers?: RawHeaders): void {
    this.#stream.end(trailers);
  }

  reset(code: ResetCode, message?: string): void {
    this.#stream.reset(code, message);
  }

  consumed(sizeBytes: number): void {
    this.#stream.consumed(sizeBytes);
  }

  endWithin(ms: number | undefined): void {
    this.#stream.endWithin(ms);
  }

  onHead(head: ResponseHead): void {
    this.#handlers.onHead?.(head);
  }

  onData(chunk: Uint8Array): void {
    this.receivedBytes += chunk.byteLength;
    this.#handlers.onData(chunk);
  }

  onEnd(trailers: RawHeaders): void {
    this.#handlers.onEnd(trailers);
  }

  onReset(error: FairleadError, code: ResetCode): void {
    this.#handlers.onReset(error, code);
  }

  onWritable(): void {
    this.#handlers.onWritable?.();
  }
}
