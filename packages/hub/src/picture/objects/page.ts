// Pages of rows with their bodies, by number and by bytes. The database weighs the bodies where they lie and gives only
// those that are on the page: one of a few MiB is as much an object as one of a few hundred bytes.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type Order, orderBy } from "./order.ts";

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** There is more behind the last one. */
  readonly hasMore: boolean;
}

interface Rows {
  readonly where: RawBuilder<unknown>;
  readonly order: Pick<Order, "keys" | "isDescending">;
  readonly limit: number;
}

/** Found with a page's rows. */
export interface Placed {
  /** The row's place in the order, as texts. */
  readonly position: readonly string[];
  /** The bytes of the body in the database when it isn't compressed: about those of its JSON. */
  readonly body_bytes: number;
}

/** With the bodies. */
export async function readPage<Row extends Placed>(
  db: Kysely<Tables>,
  options: Rows & { readonly columns: RawBuilder<unknown>; readonly maxBytes: number },
): Promise<Page<Row>> {
  const { columns, where, order, limit, maxBytes } = options;
  // The sizes as stored are known without reading a body, so they say first what can't be on the page; the rest is
  // unpacked to be weighed, one after the other.
  const { rows } = await sql<Row & { has_next: boolean }>`
    select ${columns}, position, body_bytes, has_next from (
      select *, sum(body_bytes) over (order by place rows unbounded preceding) as sum_bytes from (
        select *, ${unpackedBytes} as body_bytes from (
          select
            ${columns}, ${positionIn(order)} as position, row_number() over there as place,
            lead(true, 1, false) over there as has_next, sum(pg_column_size(body)) over there as stored_bytes
          from inventory_object where ctid = any(${find({ where, order, limit: limit + 1 })})
          window there as (order by ${orderBy(order)} rows unbounded preceding)
        ) found where place = 1 or (place <= ${limit} and stored_bytes <= ${maxBytes}) offset 0
      ) weighed
    ) summed where place = 1 or sum_bytes <= ${maxBytes} order by place`.execute(db);
  return { rows, hasMore: rows.at(-1)?.has_next ?? false };
}

/** Reads only the parts of bodies that name an object, so that the number is limit enough. */
export async function readReferencePage<Row extends Pick<Placed, "position">>(
  db: Kysely<Tables>,
  options: Rows & { readonly columns: RawBuilder<unknown> },
): Promise<Page<Row>> {
  const { columns, where, order, limit } = options;
  const { rows } = await sql<Row>`
    select ${columns}, ${positionIn(order)} as position from inventory_object
    where ctid = any(${find({ where, order, limit: limit + 1 })}) order by ${orderBy(order)}`.execute(db);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Sorted without their bodies and positions. */
function find({ where, order, limit }: Rows): RawBuilder<unknown> {
  return sql`array(select ctid from inventory_object where ${where} order by ${orderBy(order)} limit ${limit})`;
}

function positionIn({ keys }: Rows["order"]): RawBuilder<unknown> {
  return sql`array[${sql.join(keys.map((key) => sql`(${key})::text`))}]`;
}

/** An empty object added to one that is compressed gives it as it is unpacked, which no function tells the size of. */
const unpackedBytes = sql`case when pg_column_compression(body) is null then pg_column_size(body)
  else pg_column_size(body || '{}'::jsonb) end`;
