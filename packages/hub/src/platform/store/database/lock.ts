// A database belongs to one hub at a time, whatever dies. Each of a hub's connections holds an advisory lock shared for
// as long as it lives, and before its first statement it looks who has the database. A hub that wants the database
// needs the same lock alone, which is to be had only when no connection of a hub is left. It writes its name down while
// it has it. So no statement of a hub ever runs after another one took over. The lock ends with the connection. A hub
// whose connections all broke joins again, unless another one was there meanwhile.
import { hostname } from "node:os";
import type { ClientBase } from "pg";
import { databaseErrors } from "./errors.ts";

export interface DatabaseLock {
  /** Takes the database for this hub, and shares it with its further connections. Throws STORE_LOCKED. */
  take(client: ClientBase): Promise<void>;
  /** Called before a connection's first statement. Throws STORE_LOCKED when another hub has the database, or had it. */
  join(client: ClientBase): Promise<void>;
}

/** `where` is the database's address, for messages. */
export function createDatabaseLock(where: string): DatabaseLock {
  const holder = crypto.randomUUID();
  const owner = `process ${process.pid} on ${hostname()}`;
  return {
    async take(client) {
      const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
      if (rows[0]?.taken !== true)
        throw databaseErrors.STORE_LOCKED({ where, owner: describeOwner(await readHolder(client)) });
      await client.query(
        "create table if not exists hub_holder (id integer primary key check (id = 1), holder text not null, owner text not null)",
      );
      await client.query(
        `insert into hub_holder (id, holder, owner) values (1, $1, $2)
         on conflict (id) do update set holder = excluded.holder, owner = excluded.owner`,
        [holder, owner],
      );
      await client.query(`select pg_advisory_lock_shared(${lockKey})`);
      await client.query(`select pg_advisory_unlock(${lockKey})`);
    },

    async join(client) {
      // Waits only while another hub writes its name.
      await client.query(`select pg_advisory_lock_shared(${lockKey})`);
      // This needs a statement of its own: the view of a statement was settled before it waited.
      const current = await readHolder(client);
      if (current?.holder !== holder) {
        throw databaseErrors.STORE_LOCKED({ where, owner: describeOwner(current) });
      }
    },
  };
}

interface Holder {
  readonly holder: string;
  readonly owner: string;
}

function describeOwner(holder: Holder | undefined): string {
  return holder?.owner ?? "it doesn't say which";
}

async function readHolder(client: ClientBase): Promise<Holder | undefined> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    "select to_regclass('hub_holder') is not null as exists",
  );
  if (found[0]?.exists !== true) return undefined;
  const { rows } = await client.query<Holder>("select holder, owner from hub_holder");
  return rows[0];
}

/** "fairlead" in ASCII. */
const lockKey = "7377293604775354724";
