// Records wait in memory for a moment, go to the journal, and from there to the store in blocks. A store that fails is
// asked again for as long as it takes; that nothing is done meanwhile which couldn't be recorded is the business of who
// asks `waiting` first.
import { setImmediate } from "node:timers/promises";
import { type Clock, type FairleadError, sleep } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import { chainEntries, joinBlocks } from "./chain.ts";
import { type ChainStore, type PackedBlock, packBlock } from "./chain-store.ts";
import { auditErrors } from "./errors.ts";
import type { Journal } from "./journal.ts";
import type { AuditSink } from "./sink.ts";
import type { Block, Entry, Head, Writing } from "./types.ts";

export interface WriterOptions {
  readonly store: ChainStore;
  readonly writing: Writing;
  readonly head: Head;
  /** Keeps what isn't in the store yet; without one all goes there at once. */
  readonly journal?: Journal | undefined;
  /** True while someone waits for new records to be in the store. */
  readonly isWatched?: (() => boolean) | undefined;
  /** Gets every block once it is in the store. */
  readonly sink: AuditSink | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** The database lost more of the chain than this hub still knows. */
  readonly onLost?: (error: FairleadError) => void;
  onKept(block: Block): void;
}

export class AuditWriter implements AsyncDisposable {
  readonly #options: WriterOptions;
  readonly #stopping: AbortController = new AbortController();
  #entries: Entry[] = [];
  /** Callers that wait until their records outlast a power cut, in the order of the records. */
  #waiters: Waiter[] = [];
  /** The number of records that are in the journal, in the store or in the next hub's file. */
  #safeRecords = 0;
  /** In the journal, and on the way to the store. */
  #storing: Block | undefined;
  #storingRun: Promise<void> | undefined;
  #flushes: { readonly atRecords: number; readonly resolve: () => void }[] = [];
  /** The head after all records that were made. */
  #head: Head;
  #storedHead: Head;
  /** The number of records that are being made. */
  #current = 0;
  /** Made, and not in the store. */
  #pending: Block | undefined;
  #isStoreDue = false;
  #isStopping = false;
  #cancelStore: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #startDueMs = Number.POSITIVE_INFINITY;
  /** Made, and neither in the journal nor in the store. */
  #unsafe = 0;
  /** Another hub has the chain: nothing more can be kept. */
  #isTaken = false;
  /** Takes the records in place of the store. */
  #spill: ((entries: readonly Entry[]) => Promise<void>) | undefined;
  keptRecords = 0;
  failures = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#head = options.head;
    this.#storedHead = options.head;
  }

  /** Records that aren't in the store yet. */
  get waiting(): number {
    const inBlocks = (this.#pending?.lines.length ?? 0) + (this.#storing?.lines.length ?? 0);
    return this.#entries.length + this.#current + inBlocks;
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  push(entry: Entry): void {
    const waiting = this.#entries.push(entry);
    if (this.#running || this.#isTaken) return;
    if (waiting >= blockRecords) this.#start();
    else this.#startIn(gatherMs);
  }

  /** Resolves when it is on disk, or where this hub keeps records at all; rejects when it can't be. */
  async pushSafely(entry: Entry): Promise<void> {
    if (this.#isTaken) throw auditErrors.AUDIT_UNAVAILABLE({ waiting: this.waiting });
    this.push(entry);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const atRecords = this.#safeRecords + this.#unsafe + this.#entries.length;
    this.#waiters.push({
      atRecords,
      resolve,
      reject: () => reject(auditErrors.AUDIT_UNAVAILABLE({ waiting: this.waiting })),
    });
    if (!this.#running) this.#startIn(gatherSafelyMs);
    const cancel = this.#options.clock.after(safeMs, () =>
      reject(auditErrors.AUDIT_UNAVAILABLE({ waiting: this.waiting })),
    );
    await promise.finally(cancel);
  }

  #startIn(delayMs: number): void {
    const dueMs = this.#options.clock.steadyMs() + delayMs;
    if (dueMs >= this.#startDueMs) return;
    this.#startDueMs = dueMs;
    this.#options.clock.after(delayMs, () => this.#start());
  }

  /** Resolves when all that is here now is kept, or after a second. */
  async flush(): Promise<void> {
    if (this.waiting === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flushes.push({ atRecords: this.keptRecords + this.waiting, resolve });
    this.#start();
    await Promise.race([promise, sleep(flushMs, { clock: this.#options.clock })]);
  }

  /** Keeps what is there, and from then on gives everything to another writer instead of the store. */
  async divert(spill: (entries: readonly Entry[]) => Promise<void>): Promise<void> {
    await this.flush();
    this.#spill = spill;
    this.#start();
    // A store that fails right now would hold this up for good.
    await Promise.race([this.#idle(), sleep(lastFlushMs, { clock: this.#options.clock })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelStore?.();
    this.#isStopping = true;
    if (this.waiting > 0) {
      this.#start();
      await Promise.race([this.#idle(), sleep(lastFlushMs, { clock: this.#options.clock })]);
    }
    this.#stopping.abort();
    await this.#idle();
    this.#refuseWaiters(Number.POSITIVE_INFINITY);
    if (this.waiting > 0) this.#options.log.error({ records: this.waiting }, "audit records are lost");
  }

  #start(): void {
    this.#startDueMs = Number.POSITIVE_INFINITY;
    if (this.#running || this.#isTaken || !this.#hasWork()) return;
    this.#running = this.#run()
      .catch((error: unknown) => this.#options.log.error({ err: error }, "audit records can't be made"))
      .finally(() => {
        this.#running = undefined;
        // Records that came between the last look and now.
        if (!this.#stopping.signal.aborted) this.#start();
      });
  }

  #hasWork(): boolean {
    if (this.#entries.length > 0) return true;
    return this.#pending !== undefined && this.#storing === undefined && this.#mustStore(this.#pending);
  }

  async #idle(): Promise<void> {
    while (this.#running ?? this.#storingRun) await (this.#running ?? this.#storingRun);
  }

  #mustStore({ lines }: Block): boolean {
    const { journal, isWatched } = this.#options;
    if (journal === undefined || this.#isStoreDue || this.#isStopping || this.#spill) return true;
    return this.#flushes.length > 0 || lines.length >= blockRecords || isWatched?.() === true;
  }

  async #run(): Promise<void> {
    while (this.#hasWork() && !this.#isTaken && !this.#stopping.signal.aborted) {
      if (this.#spill) {
        await this.#storingRun;
        if (!(await this.#store()) || !(await this.#spillOver(this.#spill))) return;
        continue;
      }
      if (this.#entries.length > 0) await this.#make();
      if (!this.#pending || this.#storing || !this.#mustStore(this.#pending)) continue;
      // A caller that waits for the journal doesn't wait for the store as well.
      this.#storingRun = this.#store()
        .catch((error: unknown) => this.#options.log.error({ err: error }, "audit records can't be stored"))
        .then(() => {
          this.#storingRun = undefined;
          if (!this.#stopping.signal.aborted) this.#start();
        });
    }
  }

  async #spillOver(spill: (entries: readonly Entry[]) => Promise<void>): Promise<boolean> {
    const entries = this.#entries.splice(0, blockRecords);
    this.#current = entries.length;
    this.#unsafe += entries.length;
    if (entries.length > 0 && !(await this.#insist("the next hub's file", () => spill(entries)))) return false;
    this.#current = 0;
    this.#count(entries.length);
    this.#becameSafe(entries.length);
    return true;
  }

  /** Gives the next records their place in the chain, and the journal their lines. */
  async #make(): Promise<void> {
    const { journal, clock, writing } = this.#options;
    const entries = this.#entries.splice(0, blockRecords);
    this.#current = entries.length;
    this.#unsafe += entries.length;
    const block = await makeBlock(entries, this.#head, writing);
    if (journal) {
      if (await journal.append(block.lines, block.lastSeq)) this.#becameSafe(entries.length);
      else this.#couldNotSync(entries.length);
    }
    this.#head = { seq: block.lastSeq, hash: block.lastHash };
    this.#pending = this.#pending ? joinBlocks(this.#pending, block) : block;
    this.#current = 0;
    this.#cancelStore ??= clock.after(storeMs, () => {
      this.#isStoreDue = true;
      this.#start();
    });
  }

  /** False when there is no use in going on. */
  async #store(): Promise<boolean> {
    const block = this.#pending;
    if (!block) return true;
    const { sink, journal, onKept } = this.#options;
    this.#pending = undefined;
    this.#storing = block;
    this.#isStoreDue = false;
    this.#cancelStore?.();
    this.#cancelStore = undefined;
    if (!(await this.#insist("the store", async () => this.#append(await packBlock(block))))) return false;
    this.#storedHead = { seq: block.lastSeq, hash: block.lastHash };
    if (sink && !(await this.#insist("the audit log", () => sink.write(block.lines)))) return false;
    this.#storing = undefined;
    journal?.stored(block.lastSeq);
    if (!journal) this.#becameSafe(block.lines.length);
    onKept(block);
    this.#count(block.lines.length);
    return true;
  }

  #becameSafe(records: number): void {
    this.#safeRecords += records;
    this.#unsafe = Math.max(0, this.#unsafe - records);
    while (this.#waiters[0] && this.#waiters[0].atRecords <= this.#safeRecords) this.#waiters.shift()?.resolve();
  }

  /** They go to the store at once, but that isn't what was asked for. */
  #couldNotSync(records: number): void {
    this.#isStoreDue = true;
    this.failures += 1;
    this.#refuseWaiters(this.#safeRecords + records);
    this.#becameSafe(records);
  }

  #refuseWaiters(upToRecords: number): void {
    while (this.#waiters[0] && this.#waiters[0].atRecords <= upToRecords) this.#waiters.shift()?.reject();
  }

  #count(records: number): void {
    this.keptRecords += records;
    const done = this.#flushes.filter(({ atRecords }) => atRecords <= this.keptRecords);
    if (done.length === 0) return;
    this.#flushes = this.#flushes.filter((flush) => !done.includes(flush));
    for (const { resolve } of done) resolve();
  }

  async #append(block: PackedBlock): Promise<void> {
    const { store, log } = this.#options;
    if (await store.append(block, this.#storedHead)) return;
    // An earlier try may have been kept although its answer was lost.
    const ends = await store.readEnds();
    if (ends?.head.seq === block.lastSeq && ends.head.hash === block.lastHash) return;
    const isBehind = (ends?.head.seq ?? 0) < this.#storedHead.seq;
    if (isBehind && ends && (await this.#fillIn(ends.head)) && (await store.append(block, this.#storedHead))) return;
    this.#isTaken = true;
    this.#refuseWaiters(Number.POSITIVE_INFINITY);
    const error = isBehind ? auditErrors.AUDIT_CHAIN_LOST() : auditErrors.AUDIT_CHAIN_TAKEN();
    log.error({ err: error }, "audit records can't be kept any more");
    if (isBehind) this.#options.onLost?.(error);
  }

  /** The database lost the newest records, as when a standby takes over that lags: the journal has them for a while. */
  async #fillIn(head: Head): Promise<boolean> {
    const { store, journal, log } = this.#options;
    const lost = await journal?.between(head, this.#storedHead);
    if (!lost || !(await store.append(await packBlock(lost), head))) return false;
    log.warn({ records: lost.lines.length }, "wrote audit records again that the database had lost");
    return true;
  }

  /** False when there is no use in trying again. */
  async #insist(where: string, write: () => Promise<void>): Promise<boolean> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
      try {
        await write();
        return !this.#isTaken;
      } catch (error) {
        this.failures += 1;
        log.error({ err: error, waiting: this.waiting }, `audit records can't be written to ${where}`);
      }
      await sleep(delayMs, { clock, signal }).catch(() => undefined);
      if (signal.aborted) return false;
    }
  }
}

interface Waiter {
  readonly atRecords: number;
  resolve(): void;
  reject(): void;
}

/** A bit at a time: all at once would hold up requests for milliseconds. */
async function makeBlock(entries: readonly Entry[], head: Head, writing: Writing): Promise<Block> {
  let block = chainEntries(entries.slice(0, sliceRecords), head, writing);
  for (let at = sliceRecords; at < entries.length; at += sliceRecords) {
    await setImmediate();
    const last = { seq: block.lastSeq, hash: block.lastHash };
    block = joinBlocks(block, chainEntries(entries.slice(at, at + sliceRecords), last, writing));
  }
  return block;
}

const gatherMs = 25;
/** For those that someone waits for: others come meanwhile, and one sync is for all of them. */
const gatherSafelyMs = 2;
const safeMs = 10_000;
/** A statement costs the store milliseconds, however little it brings. */
const storeMs = 1_000;
/** Few and large ones cost the least: each is one statement, which takes the store half a millisecond and more. */
const blockRecords = 1_024;
const sliceRecords = 128;
const flushMs = 1_000;
const lastFlushMs = 5_000;
const firstDelayMs = 100;
const maxDelayMs = 5_000;
