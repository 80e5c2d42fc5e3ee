import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../store/index.ts";
import type { Topic } from "./topics.ts";

/** Lets all hubs on a database see what any of them changed: soon after a hint, and within a second or so without. */
export interface Changes extends AsyncDisposable {
  /** Runs `work` in a transaction, raises the topics as its last statement, and hints at them after the commit. */
  commit<T>(topics: Topics, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * In the transaction that changes something, best at its end: it holds the counter's row until the commit, so that the
   * order of values is the order of commits. Several topics go into one call, or two transactions may wait for each other.
   */
  raise(trx: Kysely<Tables>, topics: Topics): Promise<void>;
  /** After the commit: this hub and the others look now. Never throws and never waits. */
  hint(topic: Topic): void;
  /**
   * Calls `reread` at once, and again whenever the topic was raised since the begin of the last one that succeeded, by
   * whichever hub: at once after a hint, else within a second. Never two at a time. A call that throws is tried again.
   */
  follow(topic: Topic, reread: (signal: AbortSignal) => Promise<void>): AsyncDisposable;
  /**
   * Resolves when all followers of this hub have read what was committed before the call. Waits for as long as the database
   * is away or a follower fails, unless the signal ends it.
   */
  settled(signal?: AbortSignal): Promise<void>;
  /**
   * Rises when the database may be another one than was read before: restarted, failed over, restored. All that is followed
   * is read again then, and readings that go on from what they read before begin anew.
   */
  readonly era: number;
  readonly counters: ChangeCounters;
}

export type Topics = Topic | readonly Topic[];

export interface ChangeCounters {
  readonly looks: number;
  readonly failedLooks: number;
  /** How many times the database was found to have lost what was committed. */
  readonly wentBack: number;
  readonly rereads: ReadonlyMap<Topic, number>;
  readonly failedRereads: ReadonlyMap<Topic, number>;
}
