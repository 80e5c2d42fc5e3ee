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
  readonly answer?: AnswerSchema<T>;
}

/** The part of a schema that reading an answer takes. */
export interface AnswerSchema<T> {
  safeParse(value: unknown): ReadAnswer<T> | Promise<ReadAnswer<T>>;
}

export type ReadAnswer<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error?: z.ZodError };

export type Send = <T>(call: Call<T>) => Promise<T>;
/** The lines of an answer as they come. */
export type SendForLines = (call: Call<never>) => AsyncIterable<string>;
/** An answer's bytes as they come. */
export type SendForBytes = (call: Call<never>) => AsyncIterable<Uint8Array>;
