import type { CommandList, CommandListQuery } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandRights } from "./rights.ts";
import { type CommandRow, commandColumns, toCommand } from "./rows.ts";

/**
 * A page, newest first, of those that the caller may see. It ends early when so many are none of his that looking on would
 * cost more than its share: `next` goes on.
 */
export async function listCommands(
  db: Kysely<Tables>,
  asking: { readonly principal: Principal; readonly rights: CommandRights; readonly query: CommandListQuery },
): Promise<CommandList> {
  const { principal, rights, query } = asking;
  const { limit = 100 } = query;
  const items: ListedRow[] = [];
  let before = query.cursor === undefined ? undefined : Number(query.cursor);
  for (let round = 0; round < mostRounds; round++) {
    const rows = await readRows(db, query, before);
    for (const row of rows) {
      if (items.length === limit) return { items: items.map(show), next: String(before) };
      before = row.number;
      if (rights.may(principal, "list", row)) items.push(row);
    }
    if (rows.length < roundSize) return { items: items.map(show) };
  }
  return { items: items.map(show), next: String(before) };
}

function show(row: ListedRow) {
  return toCommand(row, row.log_bytes ?? 0);
}

type ListedRow = CommandRow & { readonly log_bytes: number | null };

function readRows(
  db: Kysely<Tables>,
  { cluster, state, kind, requester }: CommandListQuery,
  before: number | undefined,
): Promise<ListedRow[]> {
  let rows = db
    .selectFrom("command")
    .leftJoin("command_log", "command_log.command", "command.id")
    .select(commandColumns.map((column) => `command.${column}` as const))
    .select("command_log.bytes as log_bytes")
    .orderBy("number", "desc")
    .limit(roundSize);
  if (before !== undefined) rows = rows.where("number", "<", before);
  if (cluster !== undefined) rows = rows.where("command.cluster", "in", cluster.split(",").slice(0, 100));
  if (state !== undefined) rows = rows.where("state", "in", state.split(",") as CommandRow["state"][]);
  if (kind !== undefined) rows = rows.where("kind", "in", kind.split(","));
  if (requester !== undefined) rows = rows.where("requester", "=", requester);
  return rows.execute();
}

const roundSize = 500;
const mostRounds = 4;
