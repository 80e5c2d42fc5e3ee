import type { Client } from "pg";
import { type TableShape, toLineQuery } from "./catalog.ts";

/** All rows in pieces of some megabytes. Wants a transaction. */
export async function* readRows(client: Client, table: TableShape): AsyncGenerator<readonly string[]> {
  await client.query(`declare line_cursor no scroll cursor for ${toLineQuery(table)}`);
  for (let count = firstCount; ; ) {
    const { rows } = await client.query<{ line: string }>(`fetch ${count} from line_cursor`);
    if (rows.length === 0) break;
    const lines = rows.map(({ line }) => line);
    yield lines;
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    count = Math.max(1, Math.min(mostCount, Math.floor((pieceSize * lines.length) / size)));
  }
  await client.query("close line_cursor");
}

/** The same text for the same value on every server, for as long as it takes. */
export const plainFormats: string = [
  "timezone = 'UTC'",
  "datestyle = 'ISO'",
  "bytea_output = 'hex'",
  "extra_float_digits = 1",
  "statement_timeout = 0",
  "idle_in_transaction_session_timeout = 0",
]
  .map((setting) => `set local ${setting}`)
  .join("; ");

const firstCount = 10;
const mostCount = 1_000;
/** Characters. */
export const pieceSize: number = 2 * 1024 * 1024;
