// What a database holds, as its own catalogs say it: one line for each table, column, constraint, index, sequence, view,
// function, trigger and row. Two databases with equal lines behave alike, whatever made them.
import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.ts";

export async function describeSchema(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql.raw<{ line: string }>(schemaQuery).execute(db);
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'migration'
    order by relname collate "C"
  `.execute(db);
  const lines = rows.map(({ line }) => line.replace(/\s+/g, " ").trim());
  for (const { name } of tables) {
    const { rows: values } = await sql<{ row: object }>`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(
      db,
    );
    lines.push(...values.map(({ row }) => `row ${name} ${JSON.stringify(row, maskChanging)}`).sort());
  }
  return lines;
}

/** Times and names made at random differ with each database. */
function maskChanging(key: string, value: unknown): unknown {
  return typeof value === "string" && (key.endsWith("_at") || uuid.test(value)) ? "…" : value;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Columns come in their order in the table: copies of a store depend on it. What PostgreSQL does by default is left out. */
const schemaQuery = `
  with own as (select * from pg_class where relnamespace = current_schema()::regnamespace)
  select line from (
    select 1 as part, relname as name, 0 as place,
      concat_ws(' ', 'table', relname, nullif(relpersistence::text, 'p'), array_to_string(reloptions, ' ')) as line
    from own where relkind = 'r'
    union all
    select 1, c.relname, a.attnum,
      concat_ws(' ', 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
        'collate ' || nullif(l.collname, 'default'), case when a.attnotnull then 'not null' end,
        'default ' || pg_get_expr(d.adbin, d.adrelid), 'identity ' || nullif(a.attidentity::text, ''),
        'generated ' || nullif(a.attgenerated::text, ''), 'storage ' || nullif(a.attstorage::text, t.typstorage::text),
        'compression ' || nullif(a.attcompression::text, ''))
    from own c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_collation l on l.oid = a.attcollation
    where c.relkind = 'r'
    union all
    select 2, c.relname, 0, concat_ws(' ', 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid))
    from own c join pg_constraint k on k.conrelid = c.oid and k.contype <> 'n'
    union all
    select 3, c.relname, 0, pg_get_indexdef(i.indexrelid) from own c join pg_index i on i.indrelid = c.oid
    union all
    select 4, sequencename, 0,
      concat_ws(' ', 'sequence', sequencename, data_type, 'from', start_value, 'by', increment_by, 'within', min_value,
        max_value, case when cycle then 'cycles' end, 'last ' || last_value)
    from pg_sequences where schemaname = current_schema()
    union all
    select 4, s.relname, 1, concat_ws(' ', 'sequence', s.relname, 'of', t.relname || '.' || a.attname)
    from own s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0
      join own t on t.oid = d.refobjid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where s.relkind = 'S'
    union all
    select 5, relname, 0, concat_ws(' ', 'view', relname, relkind, pg_get_viewdef(oid))
    from own where relkind in ('v', 'm')
    union all
    select 6, proname, 0, pg_get_functiondef(oid) from pg_proc where pronamespace = current_schema()::regnamespace
    union all
    select 7, tgname, 0, concat_ws(' ', pg_get_triggerdef(t.oid), nullif(tgenabled::text, 'O'))
    from own c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    union all
    select 8, typname, 0, concat_ws(' ', 'type', typname, typtype)
    from pg_type where typnamespace = current_schema()::regnamespace and typtype <> 'c' and typelem = 0
    union all
    select 9, extname, 0, 'extension ' || extname from pg_extension
  ) described
  order by part, name collate "C", place, line collate "C"
`;
