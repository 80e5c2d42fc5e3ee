// Finds how two ends that hold the same kind of set differ: digests of buckets first, then the entries of the buckets
// that differ. The inventory and Argo CD's objects use it; each brings its own set and messages.

/** The set of the end that asks. */
export interface ComparedSet {
  /** XOR over each bucket, as the other end computes it. */
  digests(bucketCount: number): ArrayLike<bigint>;
  /** A list for each of these buckets, also for an empty one. */
  uidsIn(buckets: readonly number[], bucketCount: number): Map<number, string[]>;
}

type Phase =
  /** The other end was asked for its digests. */
  | { readonly is: "digests" }
  /** `open`: our uids in the buckets that the other end was asked for. `left`: buckets to ask for afterwards. */
  | { readonly is: "entries"; readonly open: Map<number, string[]>; readonly left: number[] }
  | { readonly is: "over" };

/**
 * The asking end of one comparison. Answers and acknowledgements of the other end have to arrive in the order in which
 * it made them.
 */
export class Comparison {
  readonly bucketCount: number;
  readonly #set: ComparedSet;
  #phase: Phase = { is: "digests" };

  constructor(set: ComparedSet, bucketCount: number) {
    this.#set = set;
    this.bucketCount = bucketCount;
  }

  get state(): Phase["is"] {
    return this.#phase.is;
  }

  /** The other end's digests. Returns the buckets that are equal; undefined when nobody asked for these digests. */
  takeDigests(theirs: ArrayLike<bigint>): readonly number[] | undefined {
    if (this.#phase.is !== "digests") return undefined;
    const ours = this.#set.digests(this.bucketCount);
    const equal: number[] = [];
    const left: number[] = [];
    for (let bucket = 0; bucket < this.bucketCount; bucket++) {
      const isEqual = (ours[bucket] ?? 0n) === (theirs[bucket] ?? 0n);
      (isEqual ? equal : left).push(bucket);
    }
    this.#phase = { is: "entries", open: new Map(), left };
    return equal;
  }

  /** Asks for all entries without asking for digests: there are few. */
  skipDigests(): void {
    this.#phase = { is: "entries", open: new Map(), left: Array.from({ length: this.bucketCount }, (_, at) => at) };
  }

  /** The other end's entries of a bucket came. Returns our uids in it; undefined when nobody asked for this bucket. */
  takeBucket(bucket: number): readonly string[] | undefined {
    if (this.#phase.is !== "entries") return undefined;
    const ours = this.#phase.open.get(bucket);
    this.#phase.open.delete(bucket);
    return ours;
  }

  /** The buckets to ask for now; undefined: not before others were answered, or never, as the comparison is over. */
  askBuckets(): readonly number[] | undefined {
    if (this.#phase.is !== "entries" || this.#phase.open.size > 0) return undefined;
    const { left } = this.#phase;
    if (left.length === 0) {
      this.#phase = { is: "over" };
      return undefined;
    }
    const buckets = left.splice(0, bucketsAtOnce);
    this.#phase = { is: "entries", left, open: this.#set.uidsIn(buckets, this.bucketCount) };
    return buckets;
  }
}

const bucketsAtOnce = 1_024;
