import type { ClientBase } from "pg";
import { databaseErrors } from "./errors.ts";

/** Throws STORE_UNFIT for a server or a database that the hub can't use. */
export async function requireFit(client: ClientBase, where: string): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string; encoding: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding`,
  );
  const [{ number, version, encoding } = { number: "0", version: "", encoding: "" }] = rows;
  const major = Math.floor(Number(number) / 10_000);
  if (!(major >= oldestMajor && major <= newestMajor))
    throw databaseErrors.STORE_UNFIT({ where, reason: `it is PostgreSQL ${version}` });
  if (encoding !== "UTF8") throw databaseErrors.STORE_UNFIT({ where, reason: `its encoding is ${encoding}` });
}

const oldestMajor = 15;
const newestMajor = 18;
