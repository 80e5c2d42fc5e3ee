// A database belongs to one hub, or to several that share it. Each of a hub's connections holds an advisory lock shared
// for as long as it lives, and before its first statement it looks whose the database is. Whoever changes that needs the
// same lock alone, which is to be had only when no connection of a hub is left, and writes it down. So no statement of a
// hub ever runs after another one took over, and a hub that wants the database for itself waits for all that share it.
// The lock ends with the connection. A hub whose connections all broke joins again, unless another one was there
// meanwhile.
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
export function createDatabaseLock({
  where,
  isShared,
}: {
  readonly where: string;
  readonly isShared: boolean;
}): DatabaseLock {
  const holder = isShared ? sharers : crypto.randomUUID();
  const owner = isShared ? "several hubs share it" : `process ${process.pid} on ${hostname()}`;
  return {
    async take(client) {
      const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
      if (rows[0]?.taken === true) {
        await writeHolder(client, { holder, owner });
        await client.query(`select pg_advisory_lock_shared(${lockKey})`);
        await client.query(`select pg_advisory_unlock(${lockKey})`);
      } else if (isShared) {
        await join(client);
      } else {
        throw databaseErrors.STORE_LOCKED({ where, owner: describeOwner(await readHolder(client)) });
      }
    },
    join,
  };

  async function join(client: ClientBase): Promise<void> {
    // Waits only while another hub writes whose the database is.
    await client.query(`select pg_advisory_lock_shared(${lockKey})`);
    // This needs a statement of its own: the view of a statement was settled before it waited.
    const current = await readHolder(client);
    if (current?.holder !== holder) {
      await client.query(`select pg_advisory_unlock_shared(${lockKey})`);
      throw databaseErrors.STORE_LOCKED({ where, owner: describeOwner(current) });
    }
  }
}

async function writeHolder(client: ClientBase, { holder, owner }: Holder): Promise<void> {
  await client.query(
    "create table if not exists hub_holder (id integer primary key check (id = 1), holder text not null, owner text not null)",
  );
  await client.query(
    `insert into hub_holder (id, holder, owner) values (1, $1, $2)
     on conflict (id) do update set holder = excluded.holder, owner = excluded.owner`,
    [holder, owner],
  );
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

/** The holder that all have in common who share a database. */
const sharers = "several hubs";
/** "fairlead" in ASCII. */
const lockKey = "7377293604775354724";
