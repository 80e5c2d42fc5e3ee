// Takes over the state of a run's commands: those that have ended, and those that wait for approval.
import type { CommandOutcome } from "@fairlead/contract";
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { awaitedApproval } from "../commands/index.ts";
import { setNodeVersion } from "./change-nodes.ts";
import type { EndedNode, GraphRunPort } from "./port.ts";
import { type GraphRunRow, type Trouble, toTroubleColumns } from "./rows.ts";

export interface TakenCommands {
  readonly ended: readonly EndedNode[];
  /** How many begin to wait for approval, wait for one less, or don't wait any more. */
  readonly moved: number;
  /** All that wait for approval now. */
  readonly awaiting: number;
}

/** The run's row is held. A command that was forgotten after its end counts as lost. */
export async function takeCommands<Row extends GraphRunRow>(
  trx: Transaction<Tables>,
  port: GraphRunPort<Row>,
  row: Row,
): Promise<TakenCommands> {
  const nodes = sql.table(port.tables.node);
  const isOfRun = sql`node.${sql.ref(port.tables.runOf)} = ${row.id}`;
  const { rows } = await sql<Looked>`
    with looked as (
      select node.place, node.command, node.approval as before, ${awaitedApproval} as approval,
        command.id is null or command.finished_at is not null as is_over,
        coalesce(command.state, 'lost') as outcome, command.code, command.message, command.hint
      from ${nodes} as node left join command on command.id = node.command
      where ${isOfRun} and node.state = 'running'
    ), moved as (
      update ${nodes} as node set approval = looked.approval ${setNodeVersion(port, row)}
      from looked
      where ${isOfRun} and node.place = looked.place and not is_over and before is distinct from looked.approval
      returning 1
    )
    select (select count(*) from moved) as moved, count(approval) as awaiting,
      coalesce(jsonb_agg(jsonb_build_object(
        'place', place, 'command', command, 'outcome', outcome, 'code', code, 'message', message, 'hint', hint
      ) order by place) filter (where is_over), '[]') as ended
    from looked
  `.execute(trx);
  const { ended = [], moved = 0, awaiting = 0 } = rows[0] ?? {};
  return { ended: ended.map((one) => toEnded(port, one)), moved, awaiting };
}

interface Looked {
  readonly ended: readonly EndedRow[];
  readonly moved: number;
  readonly awaiting: number;
}

type EndedRow = Trouble & Pick<EndedNode, "place" | "command" | "outcome">;

function toEnded<Row extends GraphRunRow>(port: GraphRunPort<Row>, ended: EndedRow): EndedNode {
  const { place, command, outcome, code, message, hint } = ended;
  return { place, command, outcome, trouble: toEndTrouble(port, outcome, { code, message, hint }) };
}

function toEndTrouble<Row extends GraphRunRow>(
  { errors }: GraphRunPort<Row>,
  outcome: CommandOutcome,
  own: Trouble,
): Trouble | undefined {
  if (outcome === "succeeded") return undefined;
  return own.code === null ? toTroubleColumns(errors.commandUnsuccessful(outcome)) : own;
}
