// The row that says whose a database is.
import { hostname } from "node:os";
import type { FairleadError } from "@fairlead/kernel";
import type { ClientBase } from "pg";
import { storeErrors } from "../errors.ts";
import { readCode } from "../to-store-error.ts";
import { databaseErrors } from "./errors.ts";

export interface Holder {
  readonly holder: string;
  readonly owner: string;
}

export function createHolder({ isShared }: { readonly isShared: boolean }): Holder {
  if (isShared) return { holder: sharers, owner: "several hubs share it" };
  return { holder: crypto.randomUUID(), owner: `process ${process.pid} on ${hostname()}` };
}

/** `isLeased`: hubs that hold no lock between their transactions have it for a while yet. Undefined: nobody had it. */
export async function readHolder(client: ClientBase): Promise<(Holder & { readonly isLeased: boolean }) | undefined> {
  if (!(await hasHolderTable(client))) return undefined;
  const { rows } = await client
    .query<Holder & { readonly isLeased: boolean }>(
      `select holder, owner, coalesce(held_until > clock_timestamp(), false) as "isLeased" from hub_holder`,
    )
    .catch((error: unknown) => {
      throw readCode(error) === undefinedColumn ? storeErrors.STORE_SCHEMA_UNRELEASED({ cause: error }) : error;
    });
  return rows[0];
}

async function hasHolderTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>("select to_regclass('hub_holder') is not null as exists");
  return rows[0]?.exists === true;
}

/** To be called by whoever has the database's lock alone. A lease of the same holder stays. */
export async function writeHolder(client: ClientBase, { holder, owner }: Holder): Promise<void> {
  await ensureHolderTable(client);
  await client.query(
    `insert into hub_holder (id, holder, owner) values (1, $1, $2)
     on conflict (id) do update set holder = excluded.holder, owner = excluded.owner,
       held_until = case when hub_holder.holder = excluded.holder then hub_holder.held_until end`,
    [holder, owner],
  );
}

export async function ensureHolderTable(client: ClientBase): Promise<void> {
  if (await hasHolderTable(client)) return;
  await client.query(
    `create table if not exists hub_holder (
       id integer primary key check (id = 1), holder text not null, owner text not null, held_until timestamptz
     )`,
  );
}

export function lockedBy(
  where: string,
  holder: { readonly owner: string; readonly isLeased?: boolean } | undefined,
): FairleadError {
  const cause = holder?.isLeased === true ? leased : undefined;
  return databaseErrors.STORE_LOCKED({ where, owner: holder?.owner ?? "it doesn't say which", cause });
}

/** The cause of a STORE_LOCKED that may be over with the lease of a hub that was killed. */
export const leased: Error = new Error("the lease of the hub that had the database isn't over");

/** The database was put in the place of another. */
export function isHolderMissing(error: unknown): boolean {
  return readCode(error) === undefinedTable;
}

/** The holder that all have in common who share a database. */
const sharers = "several hubs";
const undefinedTable = "42P01";
/** The oldest development versions had no leases. */
const undefinedColumn = "42703";
/** "fairlead" in ASCII. */
export const lockKey = "7377293604775354724";
