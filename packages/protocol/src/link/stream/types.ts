// A stream as its users see it: one HTTP-shaped exchange, or a byte pipe after an upgrade. Callbacks instead of Node
// streams: one request costs a handful of objects, and credit returns only when the consumer says that it took the bytes.
import type { FairleadError } from "@fairlead/kernel";
import type { OpenHead, RawHeaders, ResetCode, ResponseHead } from "../wire/index.ts";

/** Handlers hear of a stream's events. None is called after `onReset`, or after both directions ended. */
export interface StreamHandlers {
  /** Opener only: once, before any data. */
  onHead?(head: ResponseHead): void;
  /** The receiver must call `stream.consumed(n)` when it has passed the bytes on; until then they count as held. */
  onData(chunk: Uint8Array): void;
  /** The peer's direction ended cleanly. */
  onEnd(trailers: RawHeaders): void;
  /** The stream is over and not whole; `code` says why. Never follows a complete exchange. */
  onReset(error: FairleadError, code: ResetCode): void;
  /** Credit is back after a `write` that returned false. */
  onWritable?(): void;
}

export interface LinkStream {
  readonly id: number;
  readonly open: OpenHead;
  /** Acceptor only: once, before data. */
  respond(head: ResponseHead): void;
  /** Queues the bytes (not copied: the caller leaves them alone). False: stop until `onWritable`. */
  write(chunk: Uint8Array): boolean;
  /** Half-closes our direction, after all that was written. */
  end(trailers?: RawHeaders): void;
  /** Ends both directions at once and drops what is queued. Does nothing on a stream that is over. */
  reset(code: ResetCode, message?: string): void;
  /** Gives credit back for bytes got by `onData`. */
  consumed(sizeBytes: number): void;
  /** Reset with `deadline` unless it is over by then, or told another time; undefined: it may go on. */
  endWithin(ms: number | undefined): void;
}

/** Called for each stream that the peer opens; returns the handlers at once, or throws a coded error to refuse it. */
export type StreamAcceptor = (stream: LinkStream) => StreamHandlers;
