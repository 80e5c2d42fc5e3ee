// A source's record of one object.
import { bucketOf } from "../inventory.ts";
import type { ComparedSet } from "./comparison.ts";
import { digestBuckets } from "./digests.ts";
import type { Departure, ReplicaRefusal } from "./types.ts";

export interface SourceRecord {
  /**
   * The object's state: a version, `absent` (a tombstone), or `unsure`: a listing lacked it, or the target has it and
   * the source doesn't know it. An unsure one isn't sent until the source's owner has looked.
   */
  wanted: bigint | "absent" | "unsure";
  /** The target's state: a version, `none`, or `unknown` until it is compared or acknowledged. */
  held: bigint | "none" | "unknown";
  /** How it left, if it is `absent` and that is known. */
  departure?: Departure | undefined;
  sent: SentEntry | undefined;
  refused: RefusedEntry | undefined;
  /** When it began to differ from what the target has; 0 while it doesn't. */
  dirtySinceMs: number;
}

export interface SentEntry {
  readonly generation: number;
  readonly version: bigint | "absent";
  readonly sizeBytes: number;
}

export interface RefusedEntry extends ReplicaRefusal {
  readonly attempts: number;
  readonly retryAtMs: number;
}

export function isDirty({ wanted, held }: SourceRecord): boolean {
  if (wanted === "unsure") return false;
  return wanted === "absent" ? held !== "none" : held !== wanted;
}

/** Neither side has it, and nothing about it is on its way. */
export function isForgettable({ wanted, held, sent }: SourceRecord): boolean {
  return typeof wanted !== "bigint" && held === "none" && sent === undefined;
}

/** What is wanted at the target. Objects that are unsure or gone are in buckets, and in no digest. */
export function compareRecords(records: ReadonlyMap<string, SourceRecord>): ComparedSet {
  return {
    digests: (bucketCount) => digestBuckets(wantedVersions(records), bucketCount),
    uidsIn(buckets, bucketCount) {
      const uids = new Map<number, string[]>(buckets.map((bucket) => [bucket, []]));
      for (const uid of records.keys()) uids.get(bucketOf(uid, bucketCount))?.push(uid);
      return uids;
    },
  };
}

function* wantedVersions(records: ReadonlyMap<string, SourceRecord>): Iterable<readonly [string, bigint]> {
  for (const [uid, { wanted }] of records) if (typeof wanted === "bigint") yield [uid, wanted];
}
