import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { happenToNode, listColumns, type NodeHappening } from "./change-nodes.ts";
import type { GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";
import { type Settled, type Settling, settleRun } from "./settle.ts";

export interface GraphRunStore<Row> {
  find(id: string): Promise<Row | undefined>;
  /** Those for which there may be something to do. */
  listDue(): Promise<readonly string[]>;
  /** Undefined when there is no such run. */
  settle(settling: Settling): Promise<Settled<Row> | undefined>;
  happenToNode(happening: NodeHappening): Promise<void>;
}

export function createGraphRunStore<Row extends GraphRunRow>(
  db: Kysely<Tables>,
  port: GraphRunPort<Row>,
): GraphRunStore<Row> {
  const { tables, columns } = port;
  const runs = sql.table(tables.run);
  return {
    async find(id) {
      const { rows } = await sql<Row>`select ${listColumns(columns)} from ${runs} where id = ${id}`.execute(db);
      return rows[0];
    },
    async listDue() {
      const { rows } = await sql<{ id: string }>`
        select id from ${runs} where finished_at is null and ${tables.isDue} order by number
      `.execute(db);
      return rows.map(({ id }) => id);
    },
    settle: (settling) => db.transaction().execute((trx) => settleRun(trx, port, settling)),
    happenToNode: (happening) => db.transaction().execute((trx) => happenToNode(trx, port, happening)),
  };
}
