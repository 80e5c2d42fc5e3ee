import type { Outcome } from "../outcome.ts";

/** What this cluster knows of a command. It is written before anything else is. */
export interface CommandRecord {
  readonly id: string;
  /** Of the last claim that wrote it: a lower one writes no more. */
  readonly epoch: number;
  readonly kind: string;
  /** When the envelope isn't taken any more: until then the record keeps it from being carried out again. */
  readonly expiresAtMs: number;
  readonly life: RecordLife;
}

export type RecordLife =
  /** `state` is the kind's own. */
  | { readonly is: "open"; readonly state?: unknown }
  /** At its end, and the hub hasn't taken that yet. */
  | { readonly is: "ended"; readonly outcome: Outcome; readonly sequence: number }
  /** The hub has it. */
  | { readonly is: "settled"; readonly outcomeDigest: string };

export interface StoredRecord {
  readonly record: CommandRecord;
  /** Of what is stored; opaque. */
  readonly version: string;
}

/** Where records are kept. */
export interface RecordStore {
  /** For messages. */
  readonly place: string;
  /** Where they are Secrets: theirs. */
  readonly namespace?: string | undefined;
  list(signal: AbortSignal): Promise<readonly StoredRecord[]>;
  find(id: string, signal: AbortSignal): Promise<StoredRecord | undefined>;
  /**
   * Writes over this version, or where there is none. Resolves with the new version, or with undefined when there is
   * another one by now.
   */
  write(record: CommandRecord, over: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}
