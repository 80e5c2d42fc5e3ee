// Keeps a database for one hub, behind a pooler that hands the server's connections round: a lock can't outlast a
// transaction there. So each transaction of a hub begins by taking the advisory lock of lock.ts shared and by looking
// which hub has the database. A hub that takes it over needs the same lock alone, so no transaction of another one goes
// on after that. A lease, which the hub renews, keeps others from taking over between two transactions of a living hub.
import type { ClientBase } from "pg";
import type { Opening } from "../pool-dialect.ts";
import {
  createHolder,
  ensureHolderTable,
  isHolderMissing,
  lockedBy,
  lockKey,
  readHolder,
  writeHolder,
} from "./holder.ts";
import type { DatabaseLock, LockOptions } from "./lock.ts";

export interface PooledLock extends DatabaseLock {
  /** The statements with which each transaction begins. */
  readonly opening: Opening;
}

export function createPooledLock({ where, isShared }: LockOptions): PooledLock {
  const self = createHolder({ isShared });
  return {
    opening: {
      text: `select pg_advisory_xact_lock_shared(${lockKey}); select holder, owner from hub_holder`,
      verify(rows) {
        const [current] = rows as readonly { readonly holder: string; readonly owner: string }[];
        if (current?.holder !== self.holder) throw lockedBy(where, current);
      },
      explain: (error) => (isHolderMissing(error) ? lockedBy(where, undefined) : undefined),
    },

    async take(client) {
      await client.query("begin");
      try {
        await takeOrShare(client);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        throw error;
      }
      await renew(client);
    },
    async join(client) {
      await ensureHolderTable(client);
      await renew(client);
    },
    look: renew,

    async release(client) {
      // Others that share the database live on; whoever comes after the last one waits for the lease to end.
      if (isShared) return;
      await client
        .query("update hub_holder set held_until = null where holder = $1", [self.holder])
        .catch(() => undefined);
    },
  };

  async function takeOrShare(client: ClientBase): Promise<void> {
    const { rows } = await client.query<{ isAlone: boolean }>(
      `select pg_try_advisory_xact_lock(${lockKey}) as "isAlone"`,
    );
    const isAlone = rows[0]?.isAlone === true;
    // Another hub that begins at the same time is waited for.
    if (!isAlone) await client.query(`select pg_advisory_xact_lock_shared(${lockKey})`);
    const before = await readHolder(client);
    const isOwn = before?.holder === self.holder;
    if (isAlone ? before?.isLeased === true && !isOwn : !isOwn) throw lockedBy(where, before);
    if (isAlone) await writeHolder(client, self);
    else await ensureHolderTable(client);
  }

  async function renew(client: ClientBase): Promise<void> {
    const { rowCount } = await client.query(
      "update hub_holder set held_until = clock_timestamp() + $2 * interval '1 millisecond' where holder = $1",
      [self.holder, leaseMs],
    );
    if (rowCount !== 1) throw lockedBy(where, await readHolder(client));
  }
}

/** For as long nobody else takes the database after the last hub that had it was killed. */
export const leaseMs = 10_000;
