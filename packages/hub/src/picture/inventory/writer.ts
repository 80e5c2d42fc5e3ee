// The only way into the inventory's tables. Waiting changes of all clusters together go in one statement; when the
// store fails, everything waits and is tried again, for as long as its call lives. Where several hubs write, what belongs
// to a report that another one has taken over from isn't written, and its job ends with INVENTORY_SUPERSEDED.
import { Backoff, type Clock, type FairleadError, sleep } from "@fairlead/kernel";
import { isStoreFailure } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { inventoryErrors } from "./errors.ts";
import { createGuard, type Guard } from "./guard.ts";
import type { ObjectStore, StoredChange, WrittenRow } from "./object-store.ts";
import type { Quota } from "./quota.ts";
import { type IncomingRow, type Removal, type RowChange, toStub } from "./read-change.ts";
import { type Telling, toTold } from "./telling.ts";
import type { CommittedChange } from "./types.ts";

export interface Writer extends AsyncDisposable {
  /**
   * Resolves when the store has them, all of one cluster. Rejects with the signal's reason if that comes first, or when the
   * hub stops.
   */
  write(changes: readonly RowChange[], options: WriteOptions): Promise<void>;
  /** Between two batches, alone. Tried again like a batch. */
  run<T>(work: (guard: Guard | undefined) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Objects of a cluster, or of one of its kinds, become tombstones: nobody observes them any more. */
  forget(options: { readonly cluster: string; readonly kind?: string } & WriteOptions): Promise<void>;
  /** Why nothing can be written, and since when; undefined when it can. */
  readonly failure: { readonly error: FairleadError; readonly sinceMs: number } | undefined;
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined;
  /** The fence of the report that writes, where several hubs share the database. */
  readonly fence?: Fence | undefined;
}

export type Fence = readonly [cluster: string, fence: number];

export function createWriter(options: {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** By the clock of what is stored. */
  readonly nowStoredMs: () => number;
  readonly log: Logger;
  readonly quota: Quota;
  readonly telling: Telling;
}): Writer {
  const { store, clock, nowStoredMs, log, quota, telling } = options;
  const queue: Job[] = [];
  const stop = new AbortController();
  let mayHaveMissed = false;
  let failure: Writer["failure"];
  let running: Promise<void> | undefined;

  return {
    write: (changes, own) => (changes.length === 0 ? Promise.resolve() : add({ changes, ...own })),
    run,
    async forget({ cluster, kind, ...own }) {
      // In pieces, between which others write.
      let forgotten: readonly StoredChange[];
      do {
        forgotten = await run(async (guard) => {
          const changes = await store.forgetSome({ cluster, kind, nowMs: nowStoredMs() }, guard);
          telling.wrote(toTold(changes));
          return changes;
        }, own);
      } while (forgotten.length > 0);
    },
    get failure() {
      return failure;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(inventoryErrors.INVENTORY_STOPPING());
      await running;
    },
  };

  async function run<T>(work: (guard: Guard | undefined) => Promise<T>, own: WriteOptions = {}): Promise<T> {
    let result: { readonly value: T } | undefined;
    const task = async (guard: Guard | undefined): Promise<void> => {
      result = { value: await work(guard) };
    };
    await add({ task, ...own });
    return (result as unknown as { readonly value: T }).value;
  }

  function add(work: Pick<Job, "changes" | "task" | "signal" | "fence">): Promise<void> {
    return new Promise((resolve, reject) => {
      if (stop.signal.aborted) return reject(stop.signal.reason);
      queue.push({ ...work, resolve, reject });
      // Not before `running` is set: a round without a wait would be over by then.
      running ??= Promise.resolve().then(drain);
    });
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const jobs = takeJobs(queue, stop.signal);
      if (jobs.length > 0) await untilDone(jobs);
    }
    // In the same turn in which the queue was seen to be empty: a job that comes later begins the next round.
    running = undefined;
  }

  async function untilDone(jobs: Job[]): Promise<void> {
    const backoff = new Backoff({ baseMs: 500, maxMs: 10_000 });
    let left = jobs;
    while (left.length > 0) {
      try {
        const guard = toGuard(left);
        await attempt(left, guard);
        if (failure) log.info("the inventory's changes are stored again");
        failure = undefined;
        for (const job of left) {
          if (isSuperseded(job, guard)) job.reject(inventoryErrors.INVENTORY_SUPERSEDED());
          else job.resolve();
        }
        return;
      } catch (thrown) {
        mayHaveMissed = true;
        if (!isStoreFailure(thrown)) return await settleEach(left, thrown);
        if (!failure) log.error({ err: thrown }, "the inventory's changes can't be stored; agents wait");
        failure = { error: thrown, sinceMs: failure?.sinceMs ?? clock.now() };
        await sleep(backoff.nextMs() + 50, { clock, signal: stop.signal }).catch(() => undefined);
        left = left.filter((job) => isWanted(job, stop.signal));
      }
    }
    // All who are left gave up: the next write will show if the store works.
    failure = undefined;
  }

  /** Not the store's fault: one of them can't be done, and the others must not suffer for it. */
  async function settleEach(jobs: Job[], thrown: unknown): Promise<void> {
    const [only] = jobs;
    if (jobs.length === 1) return only?.reject(thrown);
    for (const job of jobs) await untilDone([job]);
  }

  async function attempt(jobs: readonly Job[], guard: Guard | undefined): Promise<void> {
    if (mayHaveMissed) await telling.recover();
    mayHaveMissed = false;
    const [first] = jobs;
    if (first?.task) return await first.task(guard);
    const newest = jobs.filter((job) => !isSuperseded(job, guard));
    const changes = coalesce(newest.flatMap((job) => job.changes ?? []));
    await apply(await quota.admit(changes.filter((change) => change.type === "apply")), guard);
    const removals = changes.filter((change) => change.type === "remove");
    if (removals.length > 0) telling.wrote(toTold(await store.remove(removals, nowStoredMs(), guard)));
  }

  /** A row that the database can't hold must not keep the others from it: the batch is halved until it is found. */
  async function apply(rows: readonly IncomingRow[], guard: Guard | undefined): Promise<void> {
    const [first] = rows;
    if (!first) return;
    try {
      telling.wrote(toCommitted(await store.apply(rows, nowStoredMs(), guard), rows));
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        await apply(rows.slice(0, middle), guard);
        await apply(rows.slice(middle), guard);
        return;
      }
      const { cluster, kind, namespace, name } = first;
      log.warn({ err: error, cluster, kind, namespace, objectName: name }, "an object is kept without its content");
      const stub = toStub(first);
      telling.wrote(toCommitted(await store.apply([stub], nowStoredMs(), guard), [stub]));
    }
  }
}

interface Job {
  readonly changes?: readonly RowChange[];
  readonly task?: (guard: Guard | undefined) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  readonly fence?: Fence | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** A task alone, or as many batches as one statement may hold. */
function takeJobs(queue: Job[], stop: AbortSignal): Job[] {
  const jobs: Job[] = [];
  let rows = 0;
  let sizeBytes = 0;
  while (queue.length > 0) {
    const [next] = queue as [Job];
    if (jobs.length > 0) {
      const [nextRows, nextBytes] = measure(next);
      if (next.task || jobs[0]?.task || rows + nextRows > maxRows || sizeBytes + nextBytes > maxBytes) break;
    }
    queue.shift();
    if (!isWanted(next, stop)) continue;
    const [nextRows, nextBytes] = measure(next);
    rows += nextRows;
    sizeBytes += nextBytes;
    jobs.push(next);
  }
  return jobs;
}

function isWanted(job: Job, stop: AbortSignal): boolean {
  if (!job.signal?.aborted && !stop.aborted) return true;
  job.reject(job.signal?.aborted ? job.signal.reason : stop.reason);
  return false;
}

function measure({ changes = [] }: Job): [rows: number, sizeBytes: number] {
  return [
    changes.length,
    changes.reduce((sum, change) => sum + (change.type === "apply" ? change.body.byteLength : 0), 0),
  ];
}

/** The fence of each cluster's newest report. */
function toGuard(jobs: readonly Job[]): Guard | undefined {
  const fences = jobs.flatMap(({ fence }) => (fence ? [fence] : []));
  if (fences.length === 0) return undefined;
  return createGuard(fences.toSorted(([, one], [, other]) => one - other));
}

/** Others report its cluster now: on another hub, or on this one. */
function isSuperseded({ fence }: Job, guard: Guard | undefined): boolean {
  if (!fence || !guard) return false;
  const [cluster, own] = fence;
  return guard.lost.has(cluster) || guard.fences.get(cluster) !== own;
}

/** The newest of each object. */
function coalesce(changes: readonly RowChange[]): RowChange[] {
  return [...new Map(changes.map((change) => [keyOf(change), change])).values()];
}

function toCommitted(written: readonly WrittenRow[], rows: readonly IncomingRow[]): CommittedChange[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return written.map((each) => {
    const { namespace, name, labels, health, object } = byKey.get(keyOf(each)) as IncomingRow;
    return { ...each, namespace, name, labels, object, ...(health === undefined ? {} : { health }) };
  });
}

function keyOf({ cluster, kind, uid }: Pick<Removal, "cluster" | "kind" | "uid">): string {
  return `${cluster}/${kind}/${uid}`;
}

const maxRows = 1000;
const maxBytes = 384 * 1024;
