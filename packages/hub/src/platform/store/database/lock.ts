// A database belongs to one hub, or to several that share it. Each of a hub's connections holds an advisory lock shared
// for as long as it lives, and before its first statement it looks which hub has the database. A hub that takes it over
// needs the same lock alone, which it gets only when no connection of another hub is left, and writes that down. So no
// statement of a hub ever runs after another one took over, and a hub that wants the database for itself waits for all
// that share it. The lock ends with the connection. A hub whose connections all broke joins again, unless another one
// was there meanwhile. Behind a pooler it is done otherwise: see pooled-lock.ts.
import type { ClientBase } from "pg";
import { databaseErrors } from "./errors.ts";
import { createHolder, lockedBy, lockKey, readHolder, writeHolder } from "./holder.ts";
import { isPooled } from "./pooler.ts";

export interface DatabaseLock {
  /** Takes the database for this hub. Throws STORE_LOCKED. */
  take(client: ClientBase): Promise<void>;
  /** Called for a connection that follows on a broken one. Throws STORE_LOCKED when another hub has the database, or had it. */
  join(client: ClientBase): Promise<void>;
  /** Called every few seconds. Throws STORE_LOCKED when another hub has the database. */
  look(client: ClientBase): Promise<void>;
  /** Called before the last connection ends. */
  release(client: ClientBase): Promise<void>;
}

export interface LockOptions {
  /** The database's address, for messages. */
  readonly where: string;
  readonly isShared: boolean;
}

export function createDatabaseLock({ where, isShared }: LockOptions): DatabaseLock {
  const self = createHolder({ isShared });
  return {
    async take(client) {
      const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
      if (rows[0]?.taken === true) {
        const before = await readHolder(client);
        if (before?.isLeased === true && before.holder !== self.holder) {
          await client.query(`select pg_advisory_unlock(${lockKey})`);
          throw lockedBy(where, before);
        }
        await writeHolder(client, self);
        await client.query(`select pg_advisory_lock_shared(${lockKey})`);
        await client.query(`select pg_advisory_unlock(${lockKey})`);
      } else if (isShared) {
        await join(client);
      } else {
        throw lockedBy(where, await readHolder(client));
      }
    },
    join,
    async look(client) {
      await client.query("select 1");
    },
    async release() {},
  };

  async function join(client: ClientBase): Promise<void> {
    // A lock that is taken through a pooler stays with a connection that others use next.
    if (await isPooled(client))
      throw databaseErrors.STORE_UNFIT({ where, reason: "a pooler was put in front of it after the hub started" });
    // Waits only while another hub writes whose the database is.
    await client.query(`select pg_advisory_lock_shared(${lockKey})`);
    // This needs a statement of its own: the view of a statement was settled before it waited.
    const current = await readHolder(client);
    if (current?.holder !== self.holder) {
      await client.query(`select pg_advisory_unlock_shared(${lockKey})`);
      throw lockedBy(where, current);
    }
  }
}
