// An agent's call. Messages are handled one after the other; batches are only handed to the writer, so that the next is
// read while the store works, within the credit that the agent was given. A question about objects waits until all that
// came before it is stored.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@fairlead/kernel";
import {
  type Alive,
  type Batch,
  type Change,
  type Compare,
  isReservedGroup,
  type Kinds,
  type ListBuckets,
  maxBucketCount,
  type SyncRequest,
} from "@fairlead/protocol";
import type { ExamineOrder } from "../profiles/index.ts";
import type { CopyStore, KindRow } from "./copy-store.ts";
import { inventoryErrors } from "./errors.ts";
import type { ClusterRecord, Freshness, ReportRecord } from "./freshness.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Outbox } from "./outbox.ts";
import { type RowChange, readChange } from "./read-change.ts";
import { keyOf, readKind } from "./read-kind.ts";
import type { Fence, Writer } from "./writer.ts";

export interface SessionOptions {
  readonly cluster: string;
  readonly record: ClusterRecord;
  readonly state: ReportRecord;
  readonly freshness: Freshness;
  readonly clusters: CopyStore;
  readonly objects: ObjectStore;
  readonly writer: Writer;
  /** Where several hubs write. */
  readonly fence: Fence | undefined;
  readonly clock: Clock;
  readonly maxUnackedBytes: number;
  readonly maxKinds: number;
  /** More kinds than that were told of. */
  readonly onSurplusKinds: () => void;
  /** The cluster's own kinds were told of as some of ours. */
  readonly onReservedKinds: () => void;
  /** Tells what the cluster is examined by, now and with each change. */
  readonly followOrders: ((tell: (order: ExamineOrder) => void) => Disposable) | undefined;
  /** Aborts when the call ends, for whatever reason. */
  readonly signal: AbortSignal;
}

/** Reads until the agent ends its direction. Rejects with what the agent is to be told. */
export async function runSession(
  options: SessionOptions,
  requests: AsyncIterable<SyncRequest>,
  outbox: Outbox,
): Promise<void> {
  const { state, clock, maxUnackedBytes, followOrders, signal } = options;
  const session = new Session(options, outbox);
  await outbox.send({ case: "welcome", value: { maxUnackedBytes } });
  using _orders = followOrders?.(({ generation, ...order }) =>
    outbox.examineBy({ ...order, generation: BigInt(generation) }),
  );
  for await (const { message } of requests) {
    signal.throwIfAborted();
    state.heardMs = clock.now();
    switch (message.case) {
      case "kinds":
        await session.putKinds(message.value);
        break;
      case "compare":
        await session.compare(message.value);
        break;
      case "listBuckets":
        await session.listBuckets(message.value);
        break;
      case "batch":
        await session.take(message.value);
        break;
      case "alive":
        session.hear(message.value);
        break;
      case "start":
        throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a call can begin only once" });
      case undefined:
        break; // from a newer agent
      default:
        message satisfies never;
    }
  }
  await session.stored();
}

class Session {
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  /** Keys of kinds; undefined for one that was taken back. */
  readonly #kinds = new Map<number, string | undefined>();
  /** Kinds beyond the bound, or in our group: what is said of them is thrown away. */
  readonly #leftOut = new Set<number>();
  #hasSurplus = false;
  readonly #unstored = new Set<{ readonly sizeBytes: number; readonly oldestMs: number; readonly changes: number }>();
  #sequence = 0n;
  #unackedBytes = 0;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
  }

  /** All batches so far are. Rejects when one couldn't be. */
  stored(): Promise<void> {
    return this.#lastWrite;
  }

  async putKinds({ changed, removed, complete }: Kinds): Promise<void> {
    const { cluster, record, clusters, writer, clock, freshness, maxKinds, fence, signal } = this.#options;
    await this.stored();
    const rows = new Map<string, KindRow>();
    let left = maxKinds - record.kinds.size;
    let hasReserved = false;
    for (const message of changed) {
      const known = record.kinds.get(keyOf(message))?.row;
      const row = readKind(message, { cluster, known, nowMs: clock.now() });
      const isNew = !known && !rows.has(row.kind);
      const isReserved = isReservedGroup(row.group) && !message.derived;
      const isKept = !isReserved && (!isNew || left > 0);
      if (isNew && isKept) left -= 1;
      this.#kinds.set(message.id, isKept ? row.kind : undefined);
      if (isKept) rows.set(row.kind, row);
      else this.#leftOut.add(message.id);
      hasReserved ||= isReserved;
      this.#hasSurplus ||= !isKept && !isReserved;
    }
    if (this.#hasSurplus) this.#options.onSurplusKinds();
    if (hasReserved) this.#options.onReservedKinds();
    if (this.#kinds.size > maxIds)
      throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: `it used more than ${maxIds} IDs for kinds` });
    if (rows.size > 0) await writer.run((guard) => clusters.putKinds([...rows.values()], guard), { fence, signal });
    for (const [kind, row] of rows) {
      const known = record.kinds.get(kind);
      if (known) known.row = { ...row, verifiedMs: known.row.verifiedMs };
      else record.kinds.set(kind, { row, objects: 0 });
    }
    for (const id of removed) {
      const kind = this.#kinds.get(id);
      this.#kinds.set(id, undefined);
      if (kind !== undefined) await this.#forget(kind);
    }
    if (complete) {
      const named = new Set(this.#kinds.values());
      for (const kind of [...record.kinds.keys()]) if (!named.has(kind)) await this.#forget(kind);
    }
    record.kindsChanges += 1;
    freshness.changed(cluster);
  }

  async compare({ kind: id, bucketCount }: Compare): Promise<void> {
    const { cluster, record, objects } = this.#options;
    checkBucketCount(bucketCount);
    const isLeftOut = this.#leftOut.has(id);
    const kind = isLeftOut ? "" : this.#known(id);
    await this.stored();
    const buckets = isLeftOut ? [] : await objects.digest({ cluster, kind, bucketCount });
    const digests = new Array<bigint>(bucketCount).fill(0n);
    let objectCount = 0;
    for (const each of buckets) {
      digests[each.bucket] = BigInt.asUintN(64, each.digest);
      objectCount += each.objects;
    }
    const known = record.kinds.get(kind);
    if (known) known.objects = objectCount;
    if (known?.refused) known.refused.isCompared = true;
    await this.#outbox.send({ case: "digests", value: { kind: id, bucketCount, objectCount, digests } });
  }

  async listBuckets({ kind: id, bucketCount, buckets }: ListBuckets): Promise<void> {
    const { cluster, record, objects, signal } = this.#options;
    checkBucketCount(bucketCount);
    const isLeftOut = this.#leftOut.has(id);
    const kind = isLeftOut ? "" : this.#known(id);
    const wanted = [...new Set(buckets)];
    if (wanted.some((bucket) => bucket >= bucketCount))
      throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "the bucket doesn't exist" });
    await this.stored();
    const perBucket = (record.kinds.get(kind)?.objects ?? 0) / bucketCount;
    if (perBucket > maxListed)
      throw inventoryErrors.INVENTORY_REQUEST_INVALID({
        reason: "the buckets contain too many objects to be answered one by one",
      });
    const atOnce = Math.max(1, Math.floor(maxListed / Math.max(1, perBucket)));
    for (let at = 0; at < wanted.length; at += atOnce) {
      const some = wanted.slice(at, at + atOnce);
      const rows = isLeftOut ? [] : await objects.listBuckets({ cluster, kind, bucketCount, buckets: some });
      const byBucket = Map.groupBy(rows, (row) => row.bucket);
      for (const bucket of some) {
        const entries = byBucket.get(bucket) ?? [];
        const uids = entries.map((entry) => entry.uid);
        const versions = entries.map((entry) => BigInt.asUintN(64, entry.version));
        await this.#outbox.send({ case: "bucketEntries", value: { kind: id, bucketCount, bucket, uids, versions } });
        signal.throwIfAborted();
      }
    }
  }

  async take({ sequence, changes, oldestAgeMs }: Batch): Promise<void> {
    const { cluster, writer, state, clock, maxUnackedBytes, fence, signal } = this.#options;
    if (sequence !== this.#sequence + 1n)
      throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "batches aren't numbered in sequence" });
    this.#sequence = sequence;
    const sizeBytes = changes.reduce((sum, change) => sum + sizeOf(change), 0);
    if (this.#unackedBytes > 0 && this.#unackedBytes + sizeBytes > maxUnackedBytes)
      throw inventoryErrors.INVENTORY_CREDIT_EXCEEDED({ allowedBytes: maxUnackedBytes });
    const batch = { sizeBytes, oldestMs: clock.now() - oldestAgeMs, changes: changes.length };
    this.#unackedBytes += sizeBytes;
    this.#unstored.add(batch);
    const rows: RowChange[] = [];
    let sinceTurnBytes = 0;
    for (const change of changes) {
      const kind = this.#kinds.get(change.kind);
      if (kind === undefined && !this.#kinds.has(change.kind))
        throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a change names an unknown kind" });
      if (kind !== undefined) rows.push(readChange(change, { cluster, kind, nowMs: clock.now() }));
      sinceTurnBytes += sizeOf(change);
      if (sinceTurnBytes < turnBytes) continue;
      sinceTurnBytes = 0;
      await setImmediate();
    }
    const write = writer.write(rows, { fence, signal }).then(() => {
      this.#unackedBytes -= sizeBytes;
      this.#unstored.delete(batch);
      state.pendingChanges = Math.max(0, state.pendingChanges - batch.changes);
      if (this.#unstored.size === 0 && state.pendingChanges === 0) state.oldestPendingMs = undefined;
      this.#outbox.acknowledge(sequence);
    });
    this.#lastWrite = Promise.all([this.#lastWrite, write]).then(() => undefined);
    this.#lastWrite.catch((error: unknown) => this.#outbox.end(error));
  }

  hear({ ages, oldestPendingMs, pendingChanges }: Alive): void {
    const { record, state, clock } = this.#options;
    const nowMs = clock.now();
    const waiting = [...this.#unstored];
    state.pendingChanges = Math.min(pendingChanges, mostPending);
    const oldest = Math.min(...waiting.map((batch) => batch.oldestMs), nowMs - oldestPendingMs);
    state.oldestPendingMs = pendingChanges === 0 && waiting.length === 0 ? undefined : oldest;
    for (const { kind: id, verifiedMsAgo } of ages) {
      const known = record.kinds.get(this.#kinds.get(id) ?? "");
      if (known?.refused?.isCompared) known.refused = undefined;
      if (known?.row.state !== "synced") continue;
      // Changes that wait aren't in the copy: it is as old as they are.
      const verifiedMs = nowMs - Math.max(verifiedMsAgo, oldestPendingMs);
      if (verifiedMs > (known.row.verifiedMs ?? 0)) known.row = { ...known.row, verifiedMs };
    }
  }

  async #forget(kind: string): Promise<void> {
    const { cluster, record, clusters, writer, fence, signal } = this.#options;
    await writer.forget({ cluster, kind, fence, signal });
    await writer.run((guard) => clusters.removeKinds(cluster, [kind], guard), { fence, signal });
    record.kinds.delete(kind);
  }

  #known(id: number): string {
    const kind = this.#kinds.get(id);
    if (kind === undefined) throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "it names an unknown kind" });
    return kind;
  }
}

function checkBucketCount(count: number): void {
  const isPowerOfTwo = count > 0 && (count & (count - 1)) === 0;
  if (!isPowerOfTwo || count > maxBucketCount)
    throw inventoryErrors.INVENTORY_REQUEST_INVALID({
      reason: "the number of buckets isn't a power of two of at most 65536",
    });
}

/** As agents count: a deletion has no object, and still a name and a place in a statement. */
function sizeOf({ objectJson, uid }: Change): number {
  return objectJson.byteLength + uid.length + 40;
}

/** What the column holds that tells other hubs; on the wire there may be twice as many. */
const mostPending = 2 ** 31 - 1;
/** In one call, those that are gone again among them. */
const maxIds = 65_536;
/** Objects listed by one query, and in one answer. */
const maxListed = 32_768;
/** Read of a batch before others have a turn. */
const turnBytes = 256 * 1024;
