// The tables of a store as the database itself describes them: no list of ours that could lack the newest one.
import type { Client } from "pg";
import type { SequenceValue } from "./records.ts";

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
}

export interface ColumnShape {
  readonly name: string;
  readonly type: string;
}

/** Those that others refer to come first. */
export async function listTables(client: Client): Promise<readonly TableShape[]> {
  const { rows: columns } = await client.query<{ table: string; name: string; type: string }>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname not in ('migration', 'hub_holder')
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname collate "C", a.attnum`);
  const { rows: references } = await client.query<{ table: string; target: string }>(`
    select c.relname as table, t.relname as target
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and c.oid <> t.oid and c.relnamespace = current_schema()::regnamespace`);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const ordered: string[] = [];
  while (ordered.length < tables.size) {
    const isFree = (name: string): boolean =>
      references.every(({ table, target }) => table !== name || ordered.includes(target));
    const next = [...tables.keys()].filter((name) => !ordered.includes(name) && isFree(name));
    if (next.length === 0) throw new Error("tables refer to each other in a circle");
    ordered.push(...next);
  }
  return ordered.map((name) => ({ name, columns: tables.get(name) ?? [] }));
}

/** A row as one line of JSON. Columns of JSON go as text: `null` in one is another thing than no value. */
export function toLineQuery({ name, columns }: TableShape): string {
  const list = columns.map((column) => {
    const quoted = quote(column.name);
    return isJson(column) ? `${quoted}::text as ${quoted}` : quoted;
  });
  return `select row_to_json(line)::text as line from (select ${list.join(", ")} from ${quote(name)}) line`;
}

/** Takes an array of such lines as its parameter. */
export function toInsert({ name, columns }: TableShape): string {
  const names = columns.map((column) => quote(column.name));
  const values = columns.map((column) => quote(column.name) + (isJson(column) ? `::${column.type}` : ""));
  const types = columns.map((column) => `${quote(column.name)} ${isJson(column) ? "text" : column.type}`);
  return `insert into ${quote(name)} (${names.join(", ")}) overriding system value
    select ${values.join(", ")} from json_to_recordset($1::json) as line (${types.join(", ")})`;
}

/** Sequences aren't part of a snapshot: read after the tables they are never behind them. */
export async function listSequences(client: Client): Promise<readonly SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(`
    select sequencename as name, last_value::text as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`);
  return rows;
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function isJson({ type }: ColumnShape): boolean {
  return type === "jsonb" || type === "json";
}
