import type { Command, CommandList, CommandListQuery, RunFilter } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandRights } from "./rights.ts";
import { type CommandRow, commandColumns, storedNames, toCommand } from "./rows.ts";

/**
 * A page, newest first, of those that the caller may see. It ends early when what was looked at is more than its share,
 * since nearly nothing fits the question or is for him: `next` goes on.
 */
export async function listCommands(
  db: Kysely<Tables>,
  asking: { readonly principal: Principal; readonly rights: CommandRights; readonly query: CommandListQuery },
): Promise<CommandList> {
  const { principal, rights, query } = asking;
  const { limit = 100 } = query;
  const items: ListedRow[] = [];
  let before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(query.cursor);
  for (let round = 0; round < mostRounds; round++) {
    const span = isSifted(query) ? await readSpan(db, query, before) : whole;
    if (span === undefined) return { items: items.map(show) };
    // As a rule all of them are his.
    const most = round === 0 ? limit + 1 : roundSize;
    const rows = await readRows(db, query, { before, from: span.oldest, most });
    for (const row of rows) {
      if (items.length === limit) return { items: items.map(show), next: String(before) };
      before = row.number;
      if (rights.may(principal, "list", row)) items.push(row);
    }
    if (rows.length === most) continue;
    if (span.isLast) return { items: items.map(show) };
    before = span.oldest;
  }
  return { items: items.map(show), next: String(before) };
}

/** The newest of them, however many pages that takes within bounds. */
export async function listNewest(
  db: Kysely<Tables>,
  { query, ...asking }: { readonly principal: Principal; readonly rights: CommandRights; readonly query: RunFilter },
): Promise<readonly Command[]> {
  const { limit = 100, ...filter } = query;
  const items: Command[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && items.length < limit; page++) {
    const asked = { ...filter, limit: limit - items.length, cursor };
    const answer = await listCommands(db, { ...asking, query: asked });
    items.push(...answer.items);
    cursor = answer.next;
    if (cursor === undefined) break;
  }
  return items;
}

function show(row: ListedRow): Command {
  return toCommand(row, row.log_bytes ?? 0);
}

type ListedRow = CommandRow & { readonly log_bytes: number | null };

/** Without these filters each row that is looked at is in the answer, but for those that the caller may not see. */
function isSifted({ state, kind, requester }: CommandListQuery): boolean {
  return [state, kind, requester].some((filter) => filter !== undefined);
}

/** How far back one round looks, whatever it finds there. */
async function readSpan(db: Kysely<Tables>, { cluster }: CommandListQuery, before: number): Promise<Span | undefined> {
  let newest = db
    .selectFrom("command")
    .select("number")
    .where("number", "<", before)
    .orderBy("number", "desc")
    .limit(spanSize);
  if (cluster !== undefined) newest = newest.where("cluster", "in", toList(cluster));
  const { oldest, count } = await db
    .selectFrom(newest.as("newest"))
    .select([sql<number | null>`min(number)`.as("oldest"), sql<number>`count(*)`.as("count")])
    .executeTakeFirstOrThrow();
  return oldest === null ? undefined : { oldest, isLast: count < spanSize };
}

function readRows(
  db: Kysely<Tables>,
  { cluster, state, kind, requester }: CommandListQuery,
  { before, from, most }: { readonly before: number; readonly from: number; readonly most: number },
): Promise<ListedRow[]> {
  let rows = db
    .selectFrom("command")
    .leftJoin("command_log", "command_log.command", "command.id")
    .select(commandColumns.map((column) => `command.${column}` as const))
    .select("command_log.bytes as log_bytes")
    .where("number", "<", before)
    .where("number", ">=", from)
    .orderBy("number", "desc")
    .limit(most);
  if (cluster !== undefined) rows = rows.where("command.cluster", "in", toList(cluster));
  if (state !== undefined) rows = rows.where("state", "in", state.split(",").flatMap(storedNames));
  if (kind !== undefined) rows = rows.where("kind", "in", kind.split(","));
  if (requester !== undefined) rows = rows.where("requester", "=", requester);
  return rows.execute();
}

function toList(names: string): string[] {
  return names.split(",").slice(0, 100);
}

interface Span {
  readonly oldest: number;
  /** There is nothing before it. */
  readonly isLast: boolean;
}

const whole: Span = { oldest: 0, isLast: true };
const spanSize = 5_000;
const roundSize = 500;
const mostRounds = 4;
const mostPages = 2;
