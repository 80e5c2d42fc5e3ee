import type { Masked } from "../../redact/index.ts";
import type { Outcome } from "../outcome.ts";

/** This cluster's knowledge of a command. It is written before anything else is done. */
export interface CommandRecord {
  readonly id: string;
  /** The epoch of the last claim that wrote it. A claim of a lower epoch can't write any more. */
  readonly epoch: number;
  readonly kind: string;
  /** When the envelope isn't taken any more: until then the record keeps it from being carried out again. */
  readonly expiresAtMs: number;
  /** When somebody asked for it, of a small command: its record may lie beside others of that time. */
  readonly askedAtMs?: number | undefined;
  /** The digest of what was asked for: under the same id nothing else is gone on with. */
  readonly asked?: string | undefined;
  readonly life: RecordLife;
}

export type RecordLife =
  /**
   * `state` is the kind's own. `approved`: what people have approved is being carried out. `spool`: the disk to which the
   * last claim writes the log.
   */
  | {
      readonly is: "open";
      readonly state?: unknown;
      readonly approved?: PlanDigests | undefined;
      readonly spool?: string | undefined;
    }
  /** The plan is made, and people are asked. */
  | RecordedPlan
  /** At its end, and the hub hasn't taken that yet. */
  | {
      readonly is: "ended";
      readonly outcome: Outcome;
      readonly sequence: number;
      /** The disk on which the log waits. */
      readonly spool?: string | undefined;
    }
  /** The hub has it. `owes`: and not yet all of its log. */
  | { readonly is: "settled"; readonly outcomeDigest: string; readonly owes?: OwedLog | undefined };

/** The log of a command that has ended. */
export interface OwedLog {
  /** The disk on which it waits. */
  readonly spool: string;
  /** The length of the whole log. */
  readonly bytes: number;
}

export interface StoredRecord {
  readonly record: CommandRecord;
  /** The version of the stored record; opaque. */
  readonly version: string;
}

export interface RecordedPlan {
  readonly is: "planned";
  readonly digests: PlanDigests;
  /** The kind's own, for the run of it. */
  readonly state?: unknown;
  /** The plan as people are shown it. */
  readonly json: Masked;
  /** By the hub's clock. */
  readonly keptUntilMs: number;
  /** The plan that was approved before, and is under way; undefined: nothing has begun. */
  readonly approved?: PlanDigests | undefined;
}

export interface PlanDigests {
  /** The kind's: it may tell something of secret values, and stays in the cluster. */
  readonly own: string;
  /** The digest that people approve, made of the other one and something random. */
  readonly shown: string;
  /** The digest of what was asked for. It must be the same when the plan is carried out. */
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
