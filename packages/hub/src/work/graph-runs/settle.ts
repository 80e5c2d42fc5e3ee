// Lets something happen to a run: its row is locked, the commands that have ended are taken over, and the states decide what
// comes of it.
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { changeNodes, lockRun, updateRun } from "./change-nodes.ts";
import type { AskedEvent, GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";
import { type GraphRunEvent, type GraphRunState, nextGraphRunState } from "./run-state.ts";
import { takeCommands } from "./take-commands.ts";

export interface Settling {
  readonly id: string;
  readonly event?: AskedEvent | undefined;
  readonly actor?: string | undefined;
}

export interface Settled<Row> {
  readonly row: Row;
  readonly before: GraphRunState;
  readonly after: GraphRunState;
}

/** Undefined when there is no such run. */
export async function settleRun<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  settling: Settling,
): Promise<Settled<Row> | undefined> {
  const { id, event } = settling;
  const row = await lockRun(trx, port, id);
  if (!row) return undefined;
  const before = port.toState(row);
  if (before.is === "ended") return { row, before, after: before };
  const asked = event ? nextGraphRunState(before, event) : before;
  const { ended, moved, awaiting } = await takeCommands(trx, port, row);
  const { changes, tally } = await port.settleNodes(trx, { row, state: asked, ended });
  const events: GraphRunEvent[] = [
    ...(row.is_pause_over ? [{ type: "pause-over" } as const] : []),
    { type: "looked", tally, rules: port.rulesOf(row) },
  ];
  const after = events.reduce(nextGraphRunState, asked);
  if (after === before && changes.length + moved === 0) return { row, before, after };
  await changeNodes(trx, port, row, changes);
  if (after.is === "ended") await port.onEnd(trx, row);
  const written = await updateRun(trx, port, row, {
    ...port.countColumns(row, changes),
    ...port.stateColumns({ row, before, after, event, tally, awaiting }),
    ...toEventColumns(row, settling),
    ...(after.is === "ended" ? { finished_at: now } : {}),
  });
  return { row: written, before, after };
}

function toEventColumns(row: GraphRunRow, { event, actor }: Settling): EventColumns {
  if (!event) return {};
  const by = { by_whom: actor ?? null };
  if (event.type === "cancel-asked") return { ...by, cancellation: row.cancellation === null ? "graceful" : "forced" };
  return event.type === "replaced" ? { ...by, cancellation: row.cancellation ?? "graceful" } : by;
}

type EventColumns = Partial<Pick<GraphRunRow, "by_whom" | "cancellation">>;

const now: RawBuilder<Date> = sql<Date>`clock_timestamp()`;
