// Leases in the database. All times are by the database's clock, so that hubs with clocks of their own agree.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../store/index.ts";

export interface LeaseStore {
  /** The new fence; undefined when another has it. Waits for nobody. */
  take(name: string, ttlMs: number): Promise<bigint | undefined>;
  /** False when the lease isn't held with this fence any more. */
  renew(held: LeaseKey, ttlMs: number): Promise<boolean>;
  release(held: LeaseKey): Promise<void>;
  /**
   * False when the fence isn't current. Else nobody takes the lease before the transaction has ended, and the server ends it
   * when it hears nothing for as long: a hub that stands still in the middle would hold up all others.
   */
  lock(trx: Kysely<Tables>, held: LeaseKey, idleMs: number): Promise<boolean>;
  /** The given names that nobody holds. */
  listFree(names: readonly string[]): Promise<readonly string[]>;
}

export interface LeaseKey {
  readonly name: string;
  readonly fence: bigint;
}

/** `holder` is another one for each process: after a restore, a fence may be given out again. */
export function createLeaseStore(db: Kysely<Tables>, holder: string): LeaseStore {
  const known = new Set<string>();
  return {
    async take(name, ttlMs) {
      if (!known.has(name)) {
        await sql`insert into lease (name, holder, fence, expires_at) values (${name}, '', 0, clock_timestamp())
          on conflict do nothing`.execute(db);
        known.add(name);
      }
      // A row that is locked is being taken, or guards a transaction of its holder.
      const { rows } = await sql<{ fence: string }>`
        with free as (
          select name from lease where name = ${name} and expires_at <= clock_timestamp() for update skip locked
        )
        update lease set holder = ${holder}, fence = fence + 1, expires_at = ${after(ttlMs)}
        from free where lease.name = free.name returning fence::text as fence
      `.execute(db);
      // The row may be lost, as when the database failed over: the next try makes it again.
      if (rows[0] === undefined) known.delete(name);
      return rows[0] && BigInt(rows[0].fence);
    },

    async renew(held, ttlMs) {
      const { numAffectedRows } = await sql`
        update lease set expires_at = ${after(ttlMs)} where ${isHeld(held)} and expires_at > clock_timestamp()
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async release(held) {
      await sql`update lease set expires_at = clock_timestamp() where ${isHeld(held)}`.execute(db);
    },

    async lock(trx, held, idleMs) {
      const limit = String(Math.max(1, Math.ceil(idleMs)));
      const { rows } = await sql`
        select set_config('idle_in_transaction_session_timeout', ${limit}, true) from lease where ${isHeld(held)} for share
      `.execute(trx);
      return rows.length > 0;
    },

    async listFree(names) {
      const { rows } = await sql<{ name: string }>`
        select wanted.name from unnest(${names}::text[]) as wanted (name)
        left join lease on lease.name = wanted.name collate "C"
        where lease.name is null or lease.expires_at <= clock_timestamp()
      `.execute(db);
      return rows.map(({ name }) => name);
    },
  };

  function isHeld({ name, fence }: LeaseKey): RawBuilder<unknown> {
    return sql`name = ${name} and holder = ${holder} and fence = ${String(fence)}::bigint`;
  }
}

function after(ttlMs: number): RawBuilder<unknown> {
  return sql`clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'`;
}
