// Changes nodes of a run whose row is held, with the run's counts and records.
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { endIfIdle } from "../runs/index.ts";
import { type NodeEvent, type NodeState, nextNodeState } from "./node-state.ts";
import type { GraphRunPort, NodeChange } from "./port.ts";
import { type GraphRunRow, type Trouble, toNodeState } from "./rows.ts";

export interface NodeHappening {
  readonly id: string;
  readonly place: number;
  readonly event: NodeEvent;
  readonly trouble?: Trouble | undefined;
}

/** Lets something happen to one node. A node that isn't in a state for it stays as it is. */
export async function happenToNode<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  { id, place, event, trouble }: NodeHappening,
): Promise<void> {
  const row = await lockRun(trx, port, id);
  const before = row && (await readNode(trx, port, { id, place }));
  if (!row || !before) return;
  await happenToHeld(trx, port, row, { place, before, event, trouble });
}

/** The same with a node of a run whose row is held already. */
export async function happenToHeld<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  row: Row,
  { place, before, event, trouble }: Omit<NodeHappening, "id"> & { readonly before: NodeState },
): Promise<void> {
  const after = nextNodeState(before, event);
  if (after === before) return;
  const changes = [{ place, before, after, trouble }];
  await changeNodes(trx, port, row, changes);
  await updateRun(trx, port, row, port.countColumns(row, changes));
}

export type LockedRun<Row> = Row & { readonly is_pause_over: boolean };

/** Until the end of the transaction nobody else changes the run or one of its nodes. */
export async function lockRun<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  { tables, columns }: GraphRunPort<Row>,
  id: string,
): Promise<LockedRun<Row> | undefined> {
  const { rows } = await sql<LockedRun<Row>>`
    select ${listColumns(columns)}, ${tables.isPauseOver} as is_pause_over, ${endIfIdle} as idle
    from ${sql.table(tables.run)} where id = ${id} for update
  `.execute(trx);
  return rows[0];
}

async function readNode<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  { tables }: GraphRunPort<Row>,
  { id, place }: { readonly id: string; readonly place: number },
): Promise<NodeState | undefined> {
  const { rows } = await sql<{ state: NodeState["is"]; command: string | null }>`
    select state, command from ${sql.table(tables.node)} where ${sql.ref(tables.runOf)} = ${id} and place = ${place}
  `.execute(trx);
  return rows[0] && toNodeState(rows[0].state, rows[0].command);
}

/** The run's own row is to be updated, too. */
export async function changeNodes<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  row: Row,
  changes: readonly NodeChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await port.onNodes(trx, row, changes);
  const column = <Value>(read: (change: NodeChange) => Value): Value[] => changes.map(read);
  await sql`
    update ${sql.table(port.tables.node)} as node set state = changed.state, command = changed.command, approval = null,
      code = changed.code, message = changed.message, hint = changed.hint ${setNodeVersion(port, row)}
    from unnest(
      ${column(({ place }) => place)}::integer[], ${column(({ after }) => port.nameOfNode(after))}::text[],
      ${column(({ after }) => (after.is === "waiting" ? null : (after.command ?? null)))}::text[],
      ${column(({ trouble }) => trouble?.code ?? null)}::text[],
      ${column(({ trouble }) => trouble?.message ?? null)}::text[],
      ${column(({ trouble }) => trouble?.hint ?? null)}::text[]
    ) as changed (place, state, command, code, message, hint)
    where node.${sql.ref(port.tables.runOf)} = ${row.id} and node.place = changed.place
  `.execute(trx);
}

/** The rest of a `set` clause of nodes: they have the version in which they changed, where people can ask by it. */
export function setNodeVersion<Row extends GraphRunRow>({ tables }: GraphRunPort<Row>, row: Row): RawBuilder<unknown> {
  return tables.hasNodeVersions ? sql`, version = ${row.version + 1}` : sql``;
}

/** The version rises with each change of the run or of one of its nodes. */
export async function updateRun<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  { tables, columns }: GraphRunPort<Row>,
  { id, version }: Row,
  values: Readonly<Record<string, unknown>>,
): Promise<Row> {
  const assignments = Object.entries(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  const { rows } = await sql<Row>`
    update ${sql.table(tables.run)} set ${sql.join([sql`version = ${version + 1}`, ...assignments])}
    where id = ${id} returning ${listColumns(columns)}
  `.execute(trx);
  const [row] = rows;
  if (!row) throw new Error(`${id} was held and is gone`);
  return row;
}

export function listColumns(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name)));
}
