import { bucketOf } from "../inventory.ts";
import { digestBuckets } from "./digests.ts";
import { DueQueue } from "./due-queue.ts";
import {
  type Departure,
  driftedVersion,
  type HeldEntry,
  type ReplicaContent,
  type ReplicaRefusal,
  type SourceMessage,
  type TargetMessage,
} from "./types.ts";

export interface ReplicaTargetOptions {
  /**
   * Writes an object, or deletes it. Ends in `committed` or `refused`, always and within a minute: until then the next
   * state of this object waits. At most one of an object is asked for at a time, of different objects many.
   */
  apply(change: ReplicaChange): void;
  /** There is something to `take`. */
  onWork(): void;
  /** By the steady clock, as `dueAtMs` is. */
  now(): number;
  /**
   * Keep what was committed, to put it back when the object is changed here, also while the source is away. Otherwise the
   * source is asked for it again.
   */
  readonly keepsContent: boolean;
}

export interface ReplicaTargetStatus {
  readonly objects: number;
  readonly applying: number;
  readonly drifted: number;
  /** Since the source compared all objects last. */
  readonly comparedMsAgo: number | undefined;
}

export interface ReplicaChange {
  readonly uid: string;
  /** Undefined: the source says that the object is gone. */
  readonly content: ReplicaContent | undefined;
  /** How it went, if the source says so. */
  readonly departure?: Departure | undefined;
  /** It was committed before, and was changed or deleted here. */
  readonly isRepair: boolean;
}

/**
 * The other end of a flow: has what is sent committed by its owner, says what it has, and puts back what was changed here.
 * It deletes what the source said is gone, and nothing else.
 */
export class ReplicaTarget {
  readonly #options: ReplicaTargetOptions;
  readonly #records = new Map<string, TargetRecord>();
  readonly #outbox: TargetMessage[] = [];
  readonly #repairs = new DueQueue();
  #isLoaded = false;
  #isConnected = false;
  /** Waits until the store was read: before that there is no answer to it. */
  #asked: Extract<SourceMessage, { type: "compare" }> | undefined;
  #bucketCount = 1;
  #comparedAtMs: number | undefined;

  constructor(options: ReplicaTargetOptions) {
    this.#options = options;
  }

  /**
   * Found in the store: what was committed before, or `driftedVersion` when the object isn't that any more. The target
   * asks about an object that is found after the start, such as that of a write whose answer was lost. `state` is
   * whatever tells the owner that an object is as it left it, such as a hash of what it wrote.
   */
  hold({ uid, version, name }: HeldEntry, state: bigint): void {
    const record = this.#records.get(uid);
    // An entry that arrived meanwhile is newer.
    if (record !== undefined) return;
    this.#records.set(uid, { ...emptyRecord, name, version, state });
    if (this.#isLoaded) this.#say({ type: "question", uid, name });
  }

  /** All of the store was told by `hold`. */
  loaded(): void {
    this.#isLoaded = true;
    if (this.#asked !== undefined) this.#answerCompare(this.#asked);
    this.#asked = undefined;
  }

  connect(): void {
    this.disconnect();
    this.#isConnected = true;
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#outbox.length = 0;
    this.#asked = undefined;
  }

  receive(message: SourceMessage): void {
    if (!this.#isConnected) return;
    switch (message.type) {
      case "compare":
        if (this.#isLoaded) this.#answerCompare(message);
        else this.#asked = message;
        return;
      case "listBuckets":
        this.#listBuckets(message.comparison, message.buckets);
        return;
      case "entry": {
        const { version, name, contentJson } = message;
        this.#receive(message.uid, message.generation, { version, name, contentJson });
        return;
      }
      case "absent":
        this.#receive(message.uid, message.generation, undefined, message.departure);
        return;
      default:
        message satisfies never;
    }
  }

  /** The change that `apply` asked for is in the store, or the deletion is. `state` as for `hold`, of what is there now. */
  committed(uid: string, state: bigint): void {
    const record = this.#records.get(uid);
    const applying = record?.applying;
    if (record === undefined || applying === undefined) return;
    record.applying = undefined;
    if (applying.generation !== undefined) {
      this.#say({ type: "acknowledgement", uid, generation: applying.generation });
      record.repairsInRow = 0;
    }
    const { content } = applying;
    if (content === undefined) record.version = record.kept = undefined;
    else {
      Object.assign(record, { version: content.version, name: content.name, state });
      record.kept = this.#options.keepsContent ? content : undefined;
    }
    const seen = record.seen;
    record.seen = undefined;
    if (record.next !== undefined) {
      noteDrift(record, seen);
      this.#start(uid, record);
    } else if (seen !== undefined && content !== undefined) this.observe(uid, seen.state);
    else if (content === undefined) this.#records.delete(uid);
    this.#askAfter(uid, record);
  }

  /** The change that `apply` asked for can't be made now. Nothing was written. */
  refused(uid: string, refusal: ReplicaRefusal): void {
    const record = this.#records.get(uid);
    const applying = record?.applying;
    if (record === undefined || applying === undefined) return;
    noteDrift(record, record.seen);
    record.applying = record.seen = undefined;
    if (applying.generation !== undefined) {
      const { reason, message, retryAfterMs } = refusal;
      this.#say({ type: "refusal", uid, generation: applying.generation, reason, message, retryAfterMs });
    }
    if (record.next !== undefined) this.#start(uid, record);
    else if (record.version === undefined) this.#records.delete(uid);
    else if (record.version === driftedVersion) this.#planRepair(uid, record);
    this.#askAfter(uid, record);
  }

  /** The object was seen here, with this state; undefined: it isn't there any more. */
  observe(uid: string, state: bigint | undefined): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    if (record.applying !== undefined) {
      record.seen = { state };
      return;
    }
    if (state === record.state) {
      this.#restore(uid, record);
      return;
    }
    if (record.version === driftedVersion && this.#repairs.has(uid)) return;
    record.version = driftedVersion;
    this.#planRepair(uid, record);
  }

  /** Asks the source for an object, whether it has it or not: it answers with what it is, or that it is gone. */
  ask(uid: string, name: string): void {
    const record = this.#records.get(uid) ?? { ...emptyRecord, name, version: driftedVersion };
    this.#records.set(uid, record);
    // What is being applied may have been decided by what was known before: the answer has to come after it.
    record.isAsked = record.applying !== undefined;
    if (!record.isAsked) this.#say({ type: "question", uid, name });
  }

  take(): TargetMessage | undefined {
    this.#repair();
    return this.#outbox.shift();
  }

  /** When something that keeps being changed here is to be put back again; undefined when nothing waits. */
  dueAtMs(): number | undefined {
    return this.#repairs.nextAtMs();
  }

  /** Whether a change that was received before now is on its way to the store, or waits for one that is. */
  isApplying(uid: string): boolean {
    return this.#records.get(uid)?.applying !== undefined;
  }

  /** The version that the target has, by which others decide whether an operation may begin. Undefined: none. */
  heldVersion(uid: string): bigint | undefined {
    return this.#records.get(uid)?.version;
  }

  status(): ReplicaTargetStatus {
    const records = [...this.#records.values()];
    return {
      objects: records.filter(({ version }) => version !== undefined).length,
      applying: records.filter(({ applying }) => applying !== undefined).length,
      drifted: records.filter(({ version }) => version === driftedVersion).length,
      comparedMsAgo: this.#comparedAtMs === undefined ? undefined : this.#options.now() - this.#comparedAtMs,
    };
  }

  /** The question that came while a change was being applied. */
  #askAfter(uid: string, record: TargetRecord): void {
    if (record.isAsked && record.applying === undefined) this.ask(uid, record.name);
  }

  #answerCompare({ comparison, bucketCount }: Extract<SourceMessage, { type: "compare" }>): void {
    this.#bucketCount = bucketCount;
    this.#comparedAtMs = this.#options.now();
    this.#say({ type: "digests", comparison, digests: digestBuckets(toldVersions(this.#records), bucketCount) });
  }

  #listBuckets(comparison: number, buckets: readonly number[]): void {
    const entries = new Map(buckets.map((bucket): [number, HeldEntry[]] => [bucket, []]));
    for (const [uid, version] of toldVersions(this.#records)) {
      const name = this.#records.get(uid)?.name ?? "";
      entries.get(bucketOf(uid, this.#bucketCount))?.push({ uid, version, name });
    }
    for (const [bucket, held] of entries) this.#say({ type: "bucketEntries", comparison, bucket, entries: held });
  }

  #receive(uid: string, generation: number, content: ReplicaContent | undefined, departure?: Departure): void {
    const record = this.#records.get(uid) ?? { ...emptyRecord, name: content?.name ?? "" };
    this.#records.set(uid, record);
    record.next = { generation, content, departure };
    this.#repairs.delete(uid);
    if (record.applying === undefined) this.#start(uid, record);
  }

  #start(uid: string, record: TargetRecord): void {
    if (record.next === undefined) return;
    record.applying = record.next;
    record.next = undefined;
    const { content, departure } = record.applying;
    this.#options.apply({ uid, content, isRepair: false, ...(departure && { departure }) });
  }

  /** It is as it was committed, after all: whoever changed it changed it back. */
  #restore(uid: string, record: TargetRecord): void {
    if (record.version !== driftedVersion || record.kept === undefined) return;
    record.version = record.kept.version;
    this.#repairs.delete(uid);
  }

  /** The first repair is made at once; one that is undone waits longer each time, so that two who fight don't spin. */
  #planRepair(uid: string, record: TargetRecord): void {
    const now = this.#options.now();
    if (now - record.repairAtMs > forgetRepairsMs) record.repairsInRow = 0;
    const waitMs = record.repairsInRow === 0 ? 0 : Math.min(maxRepairMs, baseRepairMs * 2 ** record.repairsInRow);
    record.repairsInRow = Math.min(record.repairsInRow + 1, 20);
    record.repairAtMs = now + waitMs;
    this.#repairs.set(uid, record.repairAtMs);
    if (waitMs === 0) this.#repair();
    this.#options.onWork();
  }

  #repair(): void {
    const nowMs = this.#options.now();
    for (let uid = this.#repairs.take(nowMs); uid !== undefined; uid = this.#repairs.take(nowMs)) {
      const record = this.#records.get(uid);
      if (record === undefined || record.applying !== undefined || record.version !== driftedVersion) continue;
      if (record.kept === undefined) {
        this.#say({ type: "question", uid, name: record.name });
        continue;
      }
      record.applying = { generation: undefined, content: record.kept };
      this.#options.apply({ uid, content: record.kept, isRepair: true });
    }
  }

  /** A message isn't kept while nobody listens: the next comparison makes up for it. */
  #say(message: TargetMessage): void {
    if (!this.#isConnected) return;
    this.#outbox.push(message);
    this.#options.onWork();
  }
}

interface TargetRecord {
  name: string;
  /** Committed; undefined: nothing is. */
  version: bigint | undefined;
  state: bigint | undefined;
  kept: ReplicaContent | undefined;
  applying: Received | undefined;
  /** The newest that came while another was being applied. */
  next: Received | undefined;
  /** The state that was observed while a change was being applied. */
  seen: { readonly state: bigint | undefined } | undefined;
  /** A question to the source waits until nothing is being applied. */
  isAsked: boolean;
  repairsInRow: number;
  repairAtMs: number;
}

interface Received {
  /** Undefined for a repair: nobody waits for an acknowledgement. */
  readonly generation: number | undefined;
  readonly content: ReplicaContent | undefined;
  readonly departure?: Departure | undefined;
}

/** What was seen meanwhile isn't what was committed: should the next change be refused, it has to be put back. */
function noteDrift(record: TargetRecord, seen: TargetRecord["seen"]): void {
  if (seen !== undefined && record.version !== undefined && seen.state !== record.state)
    record.version = driftedVersion;
}

function* toldVersions(records: ReadonlyMap<string, TargetRecord>): Iterable<readonly [string, bigint]> {
  for (const [uid, record] of records) {
    const version = toldVersion(record);
    if (version !== undefined) yield [uid, version];
  }
}

/** While a change is being made, nobody can say what the object will be: a source that is told otherwise might forget it. */
function toldVersion({ version, applying }: TargetRecord): bigint | undefined {
  return applying === undefined ? version : driftedVersion;
}

const emptyRecord: TargetRecord = {
  name: "",
  version: undefined,
  state: undefined,
  kept: undefined,
  applying: undefined,
  next: undefined,
  seen: undefined,
  isAsked: false,
  repairsInRow: 0,
  repairAtMs: 0,
};
const baseRepairMs = 500;
const maxRepairMs = 60_000;
const forgetRepairsMs = 300_000;
