import type { Outcome } from "../outcome.ts";

/** What this cluster knows of a command. It is written before anything else is. */
export interface CommandRecord {
  readonly id: string;
  /** Of the last claim that wrote it: a lower one writes no more. */
  readonly epoch: number;
  readonly kind: string;
  /** When the envelope isn't taken any more: until then the record keeps it from being carried out again. */
  readonly expiresAtMs: number;
  /** When somebody asked for it, of a small command: its record may lie beside others of that time. */
  readonly askedAtMs?: number | undefined;
  readonly life: RecordLife;
}

export type RecordLife =
  /** `state` is the kind's own. `approved`: what people have approved is being carried out. */
  | { readonly is: "open"; readonly state?: unknown; readonly approved?: PlanDigests | undefined }
  /** What would be done is known, and people are asked. */
  | RecordedPlan
  /** At its end, and the hub hasn't taken that yet. */
  | { readonly is: "ended"; readonly outcome: Outcome; readonly sequence: number }
  /** The hub has it. */
  | { readonly is: "settled"; readonly outcomeDigest: string };

export interface StoredRecord {
  readonly record: CommandRecord;
  /** Of what is stored; opaque. */
  readonly version: string;
}

export interface RecordedPlan {
  readonly is: "planned";
  readonly digests: PlanDigests;
  /** The kind's own, for the run of it. */
  readonly state?: unknown;
  /** What people are shown. */
  readonly json: string;
  /** By the hub's clock. */
  readonly keptUntilMs: number;
}

export interface PlanDigests {
  /** The kind's: it may tell something of secret values, and stays in the cluster. */
  readonly own: string;
  /** What people approve. Made of the other one and something random. */
  readonly shown: string;
  /** Of what was asked for: it must be the same when it is carried out. */
  readonly asked: string;
}

/** Where records are kept. */
export interface RecordStore {
  /** For messages. */
  readonly place: string;
  /** Where they are Secrets: theirs. */
  readonly namespace?: string | undefined;
  list(signal: AbortSignal): Promise<readonly StoredRecord[]>;
  /** Faster, where it is known when a small command was asked for. */
  find(id: string, signal: AbortSignal, askedAtMs?: number): Promise<StoredRecord | undefined>;
  /**
   * Writes over this version, or where there is none. Resolves with the new version, or with undefined when there is
   * another one by now.
   */
  write(record: CommandRecord, over: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /** Faster with the version as which it was found. */
  remove(id: string, signal: AbortSignal, version?: string): Promise<void>;
}
