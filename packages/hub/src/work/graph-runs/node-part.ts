// A node's command as a part of the run: the last word before it is made, and the node that has it then.
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandParts } from "../commands/index.ts";
import { happenToHeld, lockRun } from "./change-nodes.ts";
import type { GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";

export function createNodePart<Row extends GraphRunRow>(
  port: GraphRunPort<Row>,
  { id, place }: NodePlace,
): Parameters<CommandParts["create"]>[2] {
  let held: Row | undefined;
  return {
    whole: { is: port.is, id },
    async admit(trx) {
      held = await admitNode(trx, port, { id, place });
      return held !== undefined;
    },
    async note(trx, command) {
      const event = { type: "begun", command } as const;
      if (held) await happenToHeld(trx, port, held, { place, before: { is: "waiting" }, event });
    },
  };
}

interface NodePlace {
  readonly id: string;
  readonly place: number;
}

/**
 * Holds the run until the command is made: whatever was asked meanwhile counts, and no other hub makes one. Gives the run,
 * or nothing when the node isn't to be begun any more. Throws that the cluster isn't the one that was meant.
 */
async function admitNode<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  { id, place }: NodePlace,
): Promise<Row | undefined> {
  const { tables, errors } = port;
  const row = await lockRun(trx, port, id);
  if (!row || port.toState(row).is !== "running") return undefined;
  if ((await port.countRunning(trx, row)) >= mostOf(port, row)) return undefined;
  const { rows } = await sql<{ is_same: boolean }>`
    select coalesce(cluster.incarnation = node.incarnation, false) as is_same
    from ${sql.table(tables.node)} as node left join cluster on cluster.name = node.cluster
    where node.${sql.ref(tables.runOf)} = ${id} and node.place = ${place} and node.state = 'waiting' and ${port.isTurn(row)}
  `.execute(trx);
  const [node] = rows;
  if (!node) return undefined;
  if (!node.is_same) throw errors.clusterChanged();
  return row;
}

export function mostOf<Row extends GraphRunRow>({ mostParallel }: GraphRunPort<Row>, row: Row): number {
  return row.max_parallel ?? mostParallel;
}
