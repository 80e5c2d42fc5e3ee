import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";

/** For what only one of the hubs on a database may do at a time. */
export interface Leases extends AsyncDisposable {
  /**
   * Keeps trying to hold the lease, and runs `work` while this hub does; when it ends, the lease is free for others, and this
   * hub tries again a little later. Disposing aborts the work, waits for its end and frees the lease.
   */
  hold(name: string, options: HoldOptions): AsyncDisposable;
  /** Once; undefined when another has it. The taker releases it. */
  take(name: string, options?: LeaseTimes): Promise<HeldLease | undefined>;
  /** How many leases this hub holds. */
  readonly heldCount: number;
}

export interface HoldOptions extends LeaseTimes {
  readonly work: (lease: HeldLease) => Promise<void>;
}

export interface LeaseTimes {
  /** From a renewal until others may take it. A hub that was killed holds things up for that long. */
  readonly ttlMs?: number | undefined;
}

export interface HeldLease extends AsyncDisposable {
  readonly name: string;
  /** Higher each time that anybody takes this lease. */
  readonly fence: bigint;
  /** Aborts with LEASE_LOST well before another hub can have it, or because the work is to end. */
  readonly signal: AbortSignal;
  /** By the clock, also when a process was stopped and its timers didn't run. For effects outside of the database. */
  readonly isHeld: boolean;
  /**
   * Call it inside the transaction that writes: nobody else can take the lease until that has ended, so it should be short.
   * Throws LEASE_LOST.
   */
  guard(trx: Kysely<Tables>): Promise<void>;
  release(): Promise<void>;
}
