import { chooseBucketCount } from "../inventory.ts";
import { Comparison } from "./comparison.ts";
import { DueQueue } from "./due-queue.ts";
import { compareRecords, isDirty, isForgettable, type SourceRecord } from "./source-record.ts";
import { type ReplicaSourceStatus, toSourceStatus } from "./source-status.ts";
import type { Departure, ReplicaContent, ReplicaRefusal, SourceMessage, TargetMessage } from "./types.ts";

export interface ReplicaSourceOptions {
  /** The object as it is now. Undefined when it can't be had: `put` or `remove` will say more. */
  load(uid: string): ReplicaContent | undefined;
  /**
   * Asked once in each comparison and listing: is this object there? Answered at any time by `put` or `remove`, after a
   * look at the API server itself. Until then nothing is deleted.
   */
  onUnsure(object: { readonly uid: string; readonly name: string }): void;
  /** The target has the newest state of the object, or has refused it: `refusalOf` says which. */
  onAnswered?(uid: string): void;
  /** There is something to `take`. */
  onWork(): void;
  /** By the steady clock, as `dueAtMs` is. */
  now(): number;
  random(): number;
  readonly maxUnackedEntries: number;
  /** May be exceeded by the last entry sent. */
  readonly maxUnackedBytes: number;
  /** Larger ones aren't sent: they are refused as `too-large` on this side. */
  readonly maxEntryBytes: number;
}

/**
 * The source end of a flow. It knows each object's state, and sends the newest state of each one that the target lacks.
 * Its memory grows only with the number of objects, whatever happens to them and however long the target is away. It
 * sends nothing before the world was listed and compared, so a source that has just started never looks like deletions.
 */
export class ReplicaSource {
  readonly #options: ReplicaSourceOptions;
  readonly #records = new Map<string, SourceRecord>();
  readonly #set = compareRecords(this.#records);
  /** Differ, and may be sent. In the order in which they came to. */
  readonly #ready = new Set<string>();
  /** Goes over `#ready`, all of which lie before it: a new one would go over the places of all that were taken. */
  #nextReady = this.#ready.values();
  /** Differ, and wait because they were refused. */
  readonly #waiting = new DueQueue();
  readonly #questions: SourceMessage[] = [];
  #isConnected = false;
  #isListed = false;
  #comparison: { readonly number: number; readonly steps: Comparison } | undefined;
  #isCompared = false;
  #comparedAtMs: number | undefined;
  #comparisons = 0;
  #generations = 0;
  #unacked = 0;
  #unackedBytes = 0;

  constructor(options: ReplicaSourceOptions) {
    this.#options = options;
  }

  /** The object is there, and this is its version. */
  put(uid: string, version: bigint): void {
    const record = this.#records.get(uid) ?? this.#add(uid, { wanted: version, held: "none" });
    if (record.wanted !== version) record.refused = undefined;
    record.wanted = version;
    this.#settle(uid, record);
  }

  /** It was seen to be deleted, or a look for it found nothing. */
  remove(uid: string, departure?: Departure): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    record.wanted = "absent";
    record.departure = departure;
    record.refused = undefined;
    this.#settle(uid, record);
  }

  /** These are all. Those known before that are missing here are asked about by `onUnsure`, and not taken for deleted. */
  list(objects: Iterable<readonly [uid: string, version: bigint]>): void {
    const listed = new Set<string>();
    for (const [uid, version] of objects) {
      listed.add(uid);
      // Before the first listing the target may have anything.
      if (!this.#isListed && !this.#records.has(uid)) this.#add(uid, { wanted: version, held: "unknown" });
      this.put(uid, version);
    }
    for (const [uid, { wanted }] of [...this.#records]) {
      if (!listed.has(uid) && wanted !== "absent") this.#doubt(uid, "");
    }
    this.#isListed = true;
    if (this.#isConnected && !this.#isCompared && this.#comparison === undefined) this.compare();
  }

  /** The world can't be read any more. Objects that are known go on; no comparison begins until the next `list`. */
  unlist(): void {
    this.#isListed = false;
  }

  /** A call began. The target's objects are compared anew. */
  connect(): void {
    this.disconnect();
    this.#isConnected = true;
    if (this.#isListed) this.compare();
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#isCompared = false;
    this.#comparison = undefined;
    this.#questions.length = 0;
    for (const [uid, record] of [...this.#records]) {
      if (record.sent === undefined) continue;
      this.#unsend(record);
      record.held = "unknown";
      this.#settle(uid, record);
    }
  }

  /** Also to be called now and then while connected (each ten minutes), to find what nobody told. */
  compare(): void {
    if (!this.#isConnected || !this.#isListed) return;
    const bucketCount = chooseBucketCount(this.#records.size);
    this.#comparison = { number: ++this.#comparisons, steps: new Comparison(this.#set, bucketCount) };
    this.#questions.length = 0;
    this.#questions.push({ type: "compare", comparison: this.#comparisons, bucketCount });
    this.#options.onWork();
  }

  receive(message: TargetMessage): void {
    if (!this.#isConnected) return;
    switch (message.type) {
      case "digests":
        this.#takeDigests(message.comparison, message.digests);
        return;
      case "bucketEntries":
        this.#takeBucket(message);
        return;
      case "acknowledgement":
        this.#acknowledge(message.uid, message.generation);
        return;
      case "refusal":
        this.#refuse(message.uid, message.generation, message);
        return;
      case "question":
        this.#answer(message.uid, message.name);
        return;
      default:
        message satisfies never;
    }
  }

  /** The next message, undefined when there is none now: after `onWork`, or at `dueAtMs`, there may be. */
  take(): SourceMessage | undefined {
    const question = this.#questions.shift();
    if (question !== undefined) return question;
    if (!this.#isConnected || !this.#isCompared) return undefined;
    this.#wake();
    const { maxUnackedEntries, maxUnackedBytes } = this.#options;
    while (this.#unacked < maxUnackedEntries && this.#unackedBytes < maxUnackedBytes) {
      const uid = this.#takeReady();
      if (uid === undefined) return undefined;
      const message = this.#send(uid);
      if (message !== undefined) return message;
    }
    return undefined;
  }

  /** When something that was refused is to be sent again; undefined when nothing waits. */
  dueAtMs(): number | undefined {
    return this.#waiting.nextAtMs();
  }

  /** Whether the target has committed the newest state of the object. */
  isSettled(uid: string): boolean {
    const record = this.#records.get(uid);
    return record !== undefined && record.wanted !== "unsure" && !isDirty(record);
  }

  /** Why the target doesn't take the newest state of the object, as it said last. */
  refusalOf(uid: string): ReplicaRefusal | undefined {
    return this.#records.get(uid)?.refused;
  }

  /** Whether either side has it, as far as is known. */
  has(uid: string): boolean {
    return this.#records.has(uid);
  }

  status(): ReplicaSourceStatus {
    const { state } = this;
    const [unacked, comparedAtMs, nowMs] = [this.#unacked, this.#comparedAtMs, this.#options.now()];
    return toSourceStatus(this.#records, { state, unacked, comparedAtMs, nowMs });
  }

  get state(): ReplicaSourceStatus["state"] {
    if (!this.#isConnected) return "away";
    if (this.#isCompared) return "open";
    return this.#comparison === undefined ? "listing" : "comparing";
  }

  #takeDigests(number: number, digests: readonly bigint[]): void {
    if (this.#comparison?.number !== number) return;
    const { steps } = this.#comparison;
    const equal = steps.takeDigests(digests);
    if (equal === undefined) return;
    for (const uids of this.#set.uidsIn(equal, steps.bucketCount).values()) this.#agree(uids);
    this.#compareOn(number, steps);
  }

  /** The target has just what is wanted of these. */
  #agree(uids: readonly string[]): void {
    for (const uid of uids) {
      const record = this.#records.get(uid);
      if (record === undefined) continue;
      record.held = typeof record.wanted === "bigint" ? record.wanted : "none";
      this.#settle(uid, record);
    }
  }

  #takeBucket({ comparison: number, bucket, entries }: Extract<TargetMessage, { type: "bucketEntries" }>): void {
    if (this.#comparison?.number !== number) return;
    const { steps } = this.#comparison;
    const uids = steps.takeBucket(bucket);
    if (uids === undefined) return;
    const held = new Map(entries.map((entry) => [entry.uid, entry]));
    for (const uid of uids) {
      const record = this.#records.get(uid);
      if (record === undefined) continue;
      record.held = held.get(uid)?.version ?? "none";
      this.#settle(uid, record);
    }
    for (const { uid, version, name } of entries) {
      const record = this.#records.get(uid) ?? this.#add(uid, { wanted: "unsure", held: version });
      record.held = version;
      if (record.wanted === "unsure") this.#doubt(uid, name);
      else this.#settle(uid, record);
    }
    this.#compareOn(number, steps);
  }

  #compareOn(comparison: number, steps: Comparison): void {
    const buckets = steps.askBuckets();
    if (buckets !== undefined) this.#questions.push({ type: "listBuckets", comparison, buckets });
    else if (steps.state === "over") {
      this.#comparison = undefined;
      this.#isCompared = true;
      this.#comparedAtMs = this.#options.now();
    } else return;
    this.#options.onWork();
  }

  #acknowledge(uid: string, generation: number): void {
    const record = this.#records.get(uid);
    if (record?.sent?.generation !== generation) return;
    record.held = record.sent.version === "absent" ? "none" : record.sent.version;
    record.refused = undefined;
    this.#unsend(record);
    this.#settle(uid, record);
    this.#options.onWork();
  }

  #refuse(uid: string, generation: number, { reason, message, retryAfterMs }: ReplicaRefusal): void {
    const record = this.#records.get(uid);
    if (record?.sent?.generation !== generation) return;
    const isOld = record.sent.version !== record.wanted;
    this.#unsend(record);
    if (!isOld) this.#postpone(record, { reason, message, retryAfterMs });
    this.#settle(uid, record);
    if (!isOld) this.#options.onAnswered?.(uid);
    this.#options.onWork();
  }

  #postpone(record: SourceRecord, refusal: ReplicaRefusal): void {
    const { now, random } = this.#options;
    const attempts = (record.refused?.attempts ?? 0) + 1;
    const longestMs = Math.min(maxRetryMs, baseRetryMs * 2 ** Math.min(attempts, 20));
    const delayMs = refusal.retryAfterMs > 0 ? refusal.retryAfterMs : longestMs * (0.5 + random() / 2);
    record.refused = { ...refusal, attempts, retryAtMs: now() + delayMs };
  }

  /** The target has no longer what it acknowledged, or asks whether the object is still there. */
  #answer(uid: string, name: string): void {
    const record = this.#records.get(uid) ?? this.#add(uid, { wanted: "unsure", held: "unknown" });
    record.held = "unknown";
    if (record.wanted === "unsure") this.#doubt(uid, name);
    else this.#settle(uid, record);
    this.#options.onWork();
  }

  #doubt(uid: string, name: string): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    record.wanted = "unsure";
    this.#settle(uid, record);
    if (this.#records.has(uid)) this.#options.onUnsure({ uid, name });
  }

  #send(uid: string): SourceMessage | undefined {
    const record = this.#records.get(uid);
    if (record === undefined) return undefined;
    const generation = ++this.#generations;
    if (record.wanted === "absent") {
      this.#markSent(record, { generation, version: "absent", sizeBytes: 0 });
      return { type: "absent", uid, generation, ...(record.departure && { departure: record.departure }) };
    }
    const content = this.#options.load(uid);
    if (content === undefined) return undefined;
    const { version } = content;
    const sizeBytes = content.contentJson.byteLength;
    record.wanted = version;
    if (sizeBytes > this.#options.maxEntryBytes) {
      const message = `It has ${sizeBytes} bytes; ${this.#options.maxEntryBytes} are carried.`;
      this.#postpone(record, { reason: "too-large", message, retryAfterMs: maxRetryMs });
      this.#settle(uid, record);
      this.#options.onAnswered?.(uid);
      return undefined;
    }
    if (!isDirty(record)) {
      this.#settle(uid, record);
      return undefined;
    }
    this.#markSent(record, { generation, version, sizeBytes });
    return { type: "entry", uid, generation, ...content };
  }

  #markSent(record: SourceRecord, sent: NonNullable<SourceRecord["sent"]>): void {
    record.sent = sent;
    this.#unacked += 1;
    this.#unackedBytes += sent.sizeBytes;
  }

  #unsend(record: SourceRecord): void {
    if (record.sent === undefined) return;
    this.#unacked -= 1;
    this.#unackedBytes -= record.sent.sizeBytes;
    record.sent = undefined;
  }

  #add(uid: string, { wanted, held }: Pick<SourceRecord, "wanted" | "held">): SourceRecord {
    const record: SourceRecord = { wanted, held, sent: undefined, refused: undefined, dirtySinceMs: 0 };
    this.#records.set(uid, record);
    return record;
  }

  /** Puts the object where it belongs after any change to its record. An object has one entry on its way at a time. */
  #settle(uid: string, record: SourceRecord): void {
    this.#ready.delete(uid);
    this.#waiting.delete(uid);
    if (isForgettable(record)) {
      this.#records.delete(uid);
      return;
    }
    if (!isDirty(record)) {
      record.dirtySinceMs = 0;
      record.refused = undefined;
      if (typeof record.wanted === "bigint") this.#options.onAnswered?.(uid);
      return;
    }
    if (record.dirtySinceMs === 0) record.dirtySinceMs = this.#options.now();
    if (record.sent !== undefined) return;
    if (record.refused !== undefined) this.#waiting.set(uid, record.refused.retryAtMs);
    else this.#ready.add(uid);
    this.#options.onWork();
  }

  #takeReady(): string | undefined {
    let next = this.#nextReady.next();
    if (next.done) {
      // It doesn't see what came after it had ended.
      this.#nextReady = this.#ready.values();
      next = this.#nextReady.next();
    }
    if (next.done) return undefined;
    this.#ready.delete(next.value);
    return next.value;
  }

  /** Tries refused objects again that have waited long enough. */
  #wake(): void {
    const nowMs = this.#options.now();
    for (let uid = this.#waiting.take(nowMs); uid !== undefined; uid = this.#waiting.take(nowMs)) this.#ready.add(uid);
  }
}

const baseRetryMs = 500;
const maxRetryMs = 300_000;
