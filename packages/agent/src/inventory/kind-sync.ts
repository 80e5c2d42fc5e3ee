// A kind in a session: finds out how the hub's copy differs from ours, and keeps the uids that the hub has to be told
// of. It says what to ask; the session decides what is sent when.
import { type BucketEntries, Comparison, chooseBucketCount, type Digests } from "@fairlead/protocol";
import type { BodyStore } from "./body-store.ts";
import { DirtySet } from "./dirty-set.ts";
import type { KindState, LocalKind, Plain } from "./types.ts";

/** A question to the hub about this kind. */
export type Question =
  | { readonly ask: "digests"; readonly bucketCount: number }
  | { readonly ask: "entries"; readonly bucketCount: number; readonly buckets: readonly number[] };

export interface KindSyncOptions {
  readonly local: LocalKind;
  readonly bodies: BodyStore;
  readonly ask: (question: Question) => void;
  readonly nowMs: () => number;
  /** The hub's copy isn't what it was made to be. */
  readonly onDrift: () => void;
}

type Phase =
  /** The hub was asked what it has. `ours`: what we had then, when that was whole; changes since are tracked. */
  | Asking
  /** The hub has objects, and we don't know yet what there is. */
  | { readonly is: "unlisted"; readonly hubs: Totals }
  /** The hub had nothing: all that is listed goes there. */
  | { readonly is: "streaming" }
  | { readonly is: "comparing"; readonly comparison: Comparison }
  /** All differences are known and on their way. */
  | { readonly is: "settling" }
  | { readonly is: "synced" };

interface Asking {
  readonly is: "asking";
  readonly ours: Totals | undefined;
  /** It is asked to be sure. */
  readonly wasSynced: boolean;
}

interface Totals {
  readonly count: number;
  readonly digest: bigint;
}

export class KindSync {
  readonly local: LocalKind;
  readonly dirty: DirtySet = new DirtySet();
  readonly #bodies: BodyStore;
  readonly #ask: (question: Question) => void;
  readonly #nowMs: () => number;
  readonly #onDrift: () => void;
  #phase: Phase;

  constructor(options: KindSyncOptions) {
    this.local = options.local;
    this.#bodies = options.bodies;
    this.#ask = options.ask;
    this.#nowMs = options.nowMs;
    this.#onDrift = options.onDrift;
    this.#phase = this.#askTotals(false);
  }

  get key(): string {
    return this.local.description.key;
  }

  get state(): KindState {
    if (this.local.unavailable) return "unavailable";
    if (this.isSynced) return "synced";
    const isListing = this.#phase.is === "asking" || this.#phase.is === "unlisted" || this.#phase.is === "streaming";
    return isListing && !this.local.isWhole ? "listing" : "comparing";
  }

  get isSynced(): boolean {
    const isSynced = this.#phase.is === "synced" || (this.#phase.is === "asking" && this.#phase.wasSynced);
    return isSynced && !this.local.unavailable;
  }

  /** All that is listed goes to the hub, so that a list must not run ahead of it. */
  get isStreaming(): boolean {
    return this.#phase.is === "streaming";
  }

  /** True while it isn't known if the hub has objects of this kind. */
  get isUndecided(): boolean {
    return this.#phase.is === "asking" && this.#phase.ours === undefined;
  }

  /** True when changes have to be sent. Before that, comparing finds them. */
  get isTracking(): boolean {
    if (this.#phase.is === "asking") return this.#phase.ours !== undefined;
    return this.#phase.is !== "unlisted";
  }

  /** Digests are of one moment: nothing is sent between the question and its answer. */
  get canSend(): boolean {
    const { is } = this.#phase;
    if (is === "comparing") return this.#phase.comparison.state === "entries";
    return is === "streaming" || is === "settling" || is === "synced";
  }

  /** The object is new or another one than before; `isHeld`: its body is. */
  changed(uid: string, isHeld: boolean): void {
    if (this.isTracking) this.#mark(uid, isHeld, this.#phase.is === "streaming");
  }

  removed(uid: string): void {
    if (this.isTracking) this.#mark(uid, true, false);
  }

  /** The body of the newest version has come once more. True when it is of use. */
  needs(uid: string): boolean {
    return this.dirty.isHungry(uid);
  }

  /** A list is whole, or the API server can be asked again. */
  whole(): void {
    if (this.#phase.is === "streaming") this.#settle();
    else if (this.#phase.is === "unlisted") this.#compareWith(this.#phase.hubs);
  }

  digests(answer: Plain<Digests>): void {
    if (this.#phase.is === "asking" && answer.bucketCount === 1) {
      this.#asked(this.#phase, { count: answer.objectCount, digest: answer.digests[0] ?? 0n });
    } else if (this.#phase.is === "comparing" && answer.bucketCount === this.#phase.comparison.bucketCount) {
      if (this.#phase.comparison.takeDigests(answer.digests)) this.#compareOn(this.#phase.comparison);
    }
  }

  entries(answer: Plain<BucketEntries>): void {
    if (this.#phase.is !== "comparing" || answer.bucketCount !== this.#phase.comparison.bucketCount) return;
    const { comparison } = this.#phase;
    const ours = comparison.takeBucket(answer.bucket);
    if (ours === undefined) return;
    const onlyOurs = new Set(ours);
    answer.uids.forEach((uid, at) => {
      onlyOurs.delete(uid);
      if (this.local.set.versionOf(uid) !== answer.versions[at]) this.#differs(uid);
    });
    for (const uid of onlyOurs) this.#differs(uid);
    this.#compareOn(comparison);
  }

  /** Everything up to a batch is in the hub's store. */
  acknowledged(): void {
    if (this.#phase.is === "settling" && this.dirty.backlog === 0) this.#phase = { is: "synced" };
  }

  /** Asks for the totals once more, to be sure; only while nothing is on its way. */
  verify(): boolean {
    if (this.#phase.is !== "synced" || !this.local.isWhole || this.local.unavailable || this.dirty.size > 0)
      return false;
    this.#phase = this.#askTotals(true);
    return true;
  }

  get #isKnown(): boolean {
    return this.local.isWhole && !this.local.unavailable;
  }

  #askTotals(wasSynced: boolean): Phase {
    this.#ask({ ask: "digests", bucketCount: 1 });
    return { is: "asking", ours: this.#isKnown ? this.#totals() : undefined, wasSynced };
  }

  #totals(): Totals {
    return { count: this.local.set.size, digest: this.local.set.digest };
  }

  #asked({ ours, wasSynced }: Asking, hubs: Totals): void {
    if (ours && ours.count === hubs.count && ours.digest === hubs.digest) this.#settle();
    else if (ours) {
      if (wasSynced) this.#onDrift();
      this.#compareWith(hubs);
    } else if (hubs.count === 0) this.#stream();
    else {
      this.#phase = { is: "unlisted", hubs };
      if (this.#isKnown) this.#compareWith(hubs);
      // Most will turn out to be what the hub has, and when isn't known.
      else if (this.#bodies.isAhead) this.#bodies.dropKind(this.key);
    }
  }

  #stream(): void {
    this.#phase = { is: "streaming" };
    for (const uid of this.local.set.uids()) this.#differs(uid);
    if (this.#isKnown) this.#settle();
  }

  /** From here on changes are tracked: the hub's copy stays what it is until we send. */
  #compareWith(hubs: Totals): void {
    const { set } = this.local;
    const isSame = set.size === hubs.count && set.digest === hubs.digest;
    if (isSame || hubs.count === 0) {
      if (!isSame) for (const uid of set.uids()) this.#differs(uid);
      this.#settle();
      return;
    }
    const comparison = new Comparison(set, chooseBucketCount(Math.max(set.size, hubs.count)));
    this.#phase = { is: "comparing", comparison };
    if (comparison.bucketCount > 1) this.#ask({ ask: "digests", bucketCount: comparison.bucketCount });
    else {
      // The totals are the only bucket's digest.
      comparison.skipDigests();
      this.#compareOn(comparison);
    }
  }

  #compareOn(comparison: Comparison): void {
    const buckets = comparison.askBuckets();
    if (buckets !== undefined) this.#ask({ ask: "entries", bucketCount: comparison.bucketCount, buckets });
    else if (comparison.state === "over") this.#settle();
  }

  #settle(): void {
    this.#phase = { is: "settling" };
    this.#bodies.dropKind(this.key, (uid) => this.dirty.isWaiting(uid));
    this.acknowledged();
  }

  #differs(uid: string): void {
    // The change on its way was made before the hub was asked.
    if (this.dirty.isInFlight(uid)) return;
    const version = this.local.set.versionOf(uid);
    this.#mark(uid, version === undefined || this.#bodies.has(this.key, uid, version), true);
  }

  #mark(uid: string, isReady: boolean, isBacklog: boolean): void {
    this.dirty.mark(uid, { isReady, isBacklog, nowMs: this.#nowMs() });
  }
}
