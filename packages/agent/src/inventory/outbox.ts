// Makes batches of what is dirty, fair over kinds, as far as the hub's credit goes, and remembers what is on its way.
import type { BodyStore } from "./body-store.ts";
import type { KindSync } from "./kind-sync.ts";
import type { PlainChange } from "./messages.ts";

export interface Batch {
  readonly sequence: bigint;
  readonly changes: PlainChange[];
  readonly oldestAgeMs: number;
}

interface InFlight {
  readonly sequence: number;
  readonly sizeBytes: number;
  readonly changes: readonly { readonly sync: KindSync; readonly change: PlainChange }[];
}

export class Outbox {
  readonly #bodies: BodyStore;
  readonly #inFlight: InFlight[] = [];
  /** Kinds in the order of their turns. */
  readonly #turns = new Set<KindSync>();
  #maxUnackedBytes = 0;
  #unackedBytes = 0;
  #sequence = 0;
  sentChanges = 0;
  sentBytes = 0;

  constructor(options: { readonly bodies: BodyStore }) {
    this.#bodies = options.bodies;
  }

  grant(maxUnackedBytes: number): void {
    this.#maxUnackedBytes = Math.min(maxUnackedBytes, mostUnackedBytes);
  }

  add(sync: KindSync): void {
    this.#turns.add(sync);
  }

  remove(sync: KindSync): void {
    this.#turns.delete(sync);
  }

  /** The next batch, when there is something to send and the hub is ready for it. */
  next(nowMs: number): Batch | undefined {
    if (!this.#mayBegin()) return undefined;
    const sequence = this.#sequence + 1;
    const batch: { sync: KindSync; change: PlainChange }[] = [];
    let sizeBytes = 0;
    let oldestMs = nowMs;
    const isFull = (): boolean => batch.length >= batchChanges || sizeBytes >= batchBytes;
    for (let idle = 0; idle < this.#turns.size && !isFull(); ) {
      const sync = this.#takeTurn();
      const before = batch.length;
      const quota = Math.min(batchChanges, before + turnChanges);
      while (sync.canSend && batch.length < quota && sizeBytes < batchBytes) {
        const next = sync.dirty.peek();
        if (next === undefined) break;
        const change = this.#toChange(sync, next.uid, nowMs);
        if (change === undefined) continue;
        const changeBytes = sizeOf(change);
        const hasCredit = this.#unackedBytes + sizeBytes + changeBytes <= this.#maxUnackedBytes;
        const isAlone = this.#unackedBytes === 0 && batch.length === 0;
        const isTooMuch = batch.length > 0 && sizeBytes + changeBytes > batchBytes;
        if (isTooMuch || !(hasCredit || isAlone)) {
          if (batch.length === 0) return undefined;
          return this.#send({ sequence, sizeBytes, changes: batch }, nowMs - oldestMs);
        }
        oldestMs = Math.min(oldestMs, next.entry.sinceMs);
        sizeBytes += changeBytes;
        batch.push({ sync, change });
        sync.dirty.sent(next.uid, sequence);
        this.#bodies.drop(sync.key, next.uid);
      }
      idle = batch.length === before ? idle + 1 : 0;
    }
    return batch.length === 0 ? undefined : this.#send({ sequence, sizeBytes, changes: batch }, nowMs - oldestMs);
  }

  /** Says which kinds had something in what is acknowledged now. */
  acknowledged(sequence: number): Set<KindSync> {
    const kinds = new Set<KindSync>();
    while (this.#inFlight[0] !== undefined && this.#inFlight[0].sequence <= sequence) {
      const batch = this.#inFlight.shift() as InFlight;
      this.#unackedBytes -= batch.sizeBytes;
      for (const { sync, change } of batch.changes) {
        sync.dirty.acknowledged(change.uid, sequence);
        kinds.add(sync);
      }
    }
    return kinds;
  }

  /** The call is over: bodies that may not have arrived are kept, as far as there is room, for the next one. */
  giveBack(): void {
    for (const { changes } of this.#inFlight.splice(0)) {
      for (const { sync, change } of changes) {
        if (!this.#turns.has(sync) || change.deleted || sync.local.set.versionOf(change.uid) !== change.version)
          continue;
        this.#bodies.put(sync.key, change.uid, { version: change.version, json: change.objectJson });
      }
    }
  }

  /**
   * While few batches are on their way the next one goes at once; else it waits until it is full or an answer comes, so
   * that a slow hub gets larger batches and not more of them.
   */
  #mayBegin(): boolean {
    if (this.#inFlight.length === 0) return true;
    if (this.#unackedBytes > this.#maxUnackedBytes * 0.75) return false;
    if (this.#inFlight.length < smallBatchesInFlight) return true;
    let ready = 0;
    for (const sync of this.#turns) if (sync.canSend) ready += sync.dirty.readyCount;
    return ready >= batchChanges || (ready > 0 && this.#bodies.heldBytes >= batchBytes);
  }

  #takeTurn(): KindSync {
    const [sync] = this.#turns as Set<KindSync> & { [Symbol.iterator](): IterableIterator<KindSync> };
    this.#turns.delete(sync as KindSync);
    this.#turns.add(sync as KindSync);
    return sync as KindSync;
  }

  #toChange(sync: KindSync, uid: string, nowMs: number): PlainChange | undefined {
    const kind = sync.local.id;
    const version = sync.local.set.versionOf(uid);
    if (version === undefined) return { kind, uid, deleted: true, version: 0n, objectJson: noBytes };
    const objectJson = this.#bodies.get(sync.key, uid, version);
    if (objectJson) return { kind, uid, deleted: false, version, objectJson };
    sync.dirty.mark(uid, { isReady: false, isBacklog: false, nowMs });
    return undefined;
  }

  #send(batch: InFlight, oldestAgeMs: number): Batch {
    this.#sequence = batch.sequence;
    this.#inFlight.push(batch);
    this.#unackedBytes += batch.sizeBytes;
    this.sentChanges += batch.changes.length;
    this.sentBytes += batch.sizeBytes;
    return {
      sequence: BigInt(batch.sequence),
      changes: batch.changes.map(({ change }) => change),
      oldestAgeMs: Math.max(0, Math.min(Math.round(oldestAgeMs), 2 ** 32 - 1)),
    };
  }
}

/** Not less than it is on the wire. */
function sizeOf(change: PlainChange): number {
  return change.objectJson.byteLength + change.uid.length + 40;
}

const noBytes = new Uint8Array();
const batchBytes = 256 * 1024;
const batchChanges = 500;
/** Changes of a kind before the next kind's turn. */
const turnChanges = 50;
const smallBatchesInFlight = 4;
/** Bodies on their way are kept until they are acknowledged, so that a cut doesn't cost a fetch. */
const mostUnackedBytes = 2 * 1024 * 1024;
