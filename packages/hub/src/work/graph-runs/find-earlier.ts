import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { Idempotency } from "../commands/index.ts";
import { listColumns } from "./change-nodes.ts";
import type { GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";

/** Finds the run of an earlier request under the same key. Throws that another request came under it. */
export async function findEarlierRun<Row extends GraphRunRow>(
  db: Kysely<Tables>,
  { tables, columns, errors }: Pick<GraphRunPort<Row>, "tables" | "columns" | "errors">,
  { uid, idempotency }: { readonly uid: string; readonly idempotency: Idempotency | undefined },
): Promise<Row | undefined> {
  if (!idempotency) return undefined;
  const { rows } = await sql<Row>`
    select ${listColumns(columns)} from ${sql.table(tables.run)}
    where requester_uid = ${uid} and idempotency_key = ${idempotency.key}
  `.execute(db);
  const [row] = rows;
  if (row && row.idempotency_digest !== idempotency.digest) throw errors.idempotencyMismatch(row.id);
  return row;
}
