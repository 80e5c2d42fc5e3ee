// The last word before a node's command is made.
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { lockRun } from "./change-nodes.ts";
import type { GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";

/**
 * Holds the run until the command is made: whatever was asked meanwhile counts, and no other hub makes one. Throws that the
 * cluster isn't the one that was meant.
 */
export async function admitNode<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  { id, place }: { readonly id: string; readonly place: number },
): Promise<boolean> {
  const { tables, errors } = port;
  const row = await lockRun(trx, port, id);
  if (!row || port.toState(row).is !== "running") return false;
  const { rows } = await sql<{ is_same: boolean; has_room: boolean }>`
    select coalesce(cluster.incarnation = node.incarnation, false) as is_same,
      ${countRunning(port, id)} < ${mostOf(port, row)} as has_room
    from ${sql.table(tables.node)} as node left join cluster on cluster.name = node.cluster
    where node.${sql.ref(tables.runOf)} = ${id} and node.place = ${place} and node.state = 'waiting' and ${port.isTurn(row)}
  `.execute(trx);
  const [node] = rows;
  if (!node?.has_room) return false;
  if (!node.is_same) throw errors.clusterChanged();
  return true;
}

export function mostOf<Row extends GraphRunRow>({ mostParallel }: GraphRunPort<Row>, row: Row): RawBuilder<number> {
  return sql<number>`${row.max_parallel ?? mostParallel}::bigint`;
}

export function countRunning<Row extends GraphRunRow>({ tables }: GraphRunPort<Row>, id: string): RawBuilder<number> {
  return sql<number>`(
    select count(*) from ${sql.table(tables.node)} as begun where begun.${sql.ref(tables.runOf)} = ${id} and begun.state = 'running'
  )`;
}
