// How the parts of the client ask the hub, whatever carries it.
import type { z } from "zod";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call<T> extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Absent: the answer has no body. */
  readonly answer?: z.ZodType<T>;
}

export type Send = <T>(call: Call<T>) => Promise<T>;
/** The lines of an answer as they come. */
export type SendForLines = (call: Call<never>) => AsyncIterable<string>;
/** An answer's bytes as they come. */
export type SendForBytes = (call: Call<never>) => AsyncIterable<Uint8Array>;
