// Records wait in memory for a moment and go to the store in blocks. A store that fails is asked again for as long as it
// takes; that nothing is done meanwhile which couldn't be recorded is the business of who asks `waiting` first.
import { setImmediate } from "node:timers/promises";
import { type Clock, sleep } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import { chainEntries, joinBlocks } from "./chain.ts";
import { auditTaken } from "./errors.ts";
import type { AuditSink } from "./sink.ts";
import { type AuditStore, type PackedBlock, packBlock } from "./store.ts";
import type { Block, Entry, Head } from "./types.ts";

export interface WriterOptions {
  readonly store: AuditStore;
  readonly head: Head;
  /** Gets every block once it is in the store. */
  readonly sink: AuditSink | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  onKept(block: Block): void;
}

export class AuditWriter implements AsyncDisposable {
  readonly #options: WriterOptions;
  readonly #stopping: AbortController = new AbortController();
  #entries: Entry[] = [];
  #flushes: { readonly atRecords: number; readonly resolve: () => void }[] = [];
  #head: Head;
  /** In work and not kept yet. */
  #current = 0;
  #running: Promise<void> | undefined;
  #isScheduled = false;
  /** Another hub has the chain: nothing more can be kept. */
  #isTaken = false;
  /** Takes the records in place of the store. */
  #spill: ((entries: readonly Entry[]) => Promise<void>) | undefined;
  keptRecords = 0;
  failures = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#head = options.head;
  }

  /** Records that aren't kept yet. */
  get waiting(): number {
    return this.#entries.length + this.#current;
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  get head(): Head {
    return this.#head;
  }

  push(entry: Entry): void {
    const waiting = this.#entries.push(entry);
    if (this.#running || this.#isTaken) return;
    if (waiting >= blockRecords) this.#start();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#options.clock.after(gatherMs, () => this.#start());
    }
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
    // A store that fails right now would hold this up for good.
    await Promise.race([this.#running, sleep(lastFlushMs, { clock: this.#options.clock })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.waiting > 0) {
      this.#start();
      await Promise.race([this.#running, sleep(lastFlushMs, { clock: this.#options.clock })]);
    }
    this.#stopping.abort();
    await this.#running;
    if (this.waiting > 0) this.#options.log.error({ records: this.waiting }, "audit records are lost");
  }

  #start(): void {
    this.#isScheduled = false;
    if (this.#running || this.#isTaken || this.#entries.length === 0) return;
    this.#running = this.#run()
      .catch((error: unknown) => this.#options.log.error({ err: error }, "audit records can't be made"))
      .finally(() => {
        this.#running = undefined;
        // What came between the last look and now.
        if (this.#entries.length > 0 && !this.#stopping.signal.aborted) this.#start();
      });
  }

  async #run(): Promise<void> {
    while (this.#entries.length > 0 && !this.#isTaken && !this.#stopping.signal.aborted) {
      const entries = this.#entries.splice(0, blockRecords);
      this.#current = entries.length;
      const spill = this.#spill;
      if (spill) {
        if (!(await this.#insist("the next hub's file", () => spill(entries)))) return;
        this.#current = 0;
        this.keptRecords += entries.length;
        continue;
      }
      const block = await makeBlock(entries, this.#head);
      const packed = await packBlock(block);
      const isKept = await this.#insist("the store", () => this.#append(packed));
      if (!isKept) return;
      this.#head = { seq: block.lastSeq, hash: block.lastHash };
      const { sink } = this.#options;
      if (sink && !(await this.#insist("the audit log", () => sink.write(block.lines)))) return;
      this.#current = 0;
      this.keptRecords += entries.length;
      this.#options.onKept(block);
      const done = this.#flushes.filter(({ atRecords }) => atRecords <= this.keptRecords);
      if (done.length === 0) continue;
      this.#flushes = this.#flushes.filter((flush) => !done.includes(flush));
      for (const { resolve } of done) resolve();
    }
  }

  async #append(block: PackedBlock): Promise<void> {
    const { store, log } = this.#options;
    if (await store.append(block, this.#head)) return;
    // An earlier try may have been kept although its answer was lost.
    const { head } = await store.readHead();
    if (head.seq === block.lastSeq && head.hash === block.lastHash) return;
    this.#isTaken = true;
    log.error({ err: auditTaken() }, "audit records can't be kept any more");
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

/** A bit at a time: all at once would hold up requests for milliseconds. */
async function makeBlock(entries: readonly Entry[], head: Head): Promise<Block> {
  let block = chainEntries(entries.slice(0, sliceRecords), head);
  for (let at = sliceRecords; at < entries.length; at += sliceRecords) {
    await setImmediate();
    const last = { seq: block.lastSeq, hash: block.lastHash };
    block = joinBlocks(block, chainEntries(entries.slice(at, at + sliceRecords), last));
  }
  return block;
}

const gatherMs = 50;
/** Few and large ones cost the least: each is one statement, which takes the store half a millisecond and more. */
const blockRecords = 1_024;
const sliceRecords = 128;
const flushMs = 1_000;
const lastFlushMs = 5_000;
const firstDelayMs = 100;
const maxDelayMs = 5_000;
