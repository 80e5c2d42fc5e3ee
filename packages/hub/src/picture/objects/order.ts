// The orders that a list can be in. Each ends in what makes it the same at every look: cluster, kind and uid.
import { type RawBuilder, sql } from "kysely";
import { objectQueryInvalid } from "./errors.ts";

export interface Order {
  /** With its direction; a cursor says it. */
  readonly name: string;
  readonly isDescending: boolean;
  readonly keys: readonly RawBuilder<unknown>[];
  /** Column types of the keys, for the values of a cursor, which are texts. */
  readonly types: readonly string[];
}

export function readOrder(sort = "name"): Order {
  const isReversed = sort.startsWith("-");
  const key = isReversed ? sort.slice(1) : sort;
  const keys = orders[key];
  if (!keys) throw objectQueryInvalid(`nothing is sorted by ${sort}`);
  const columns = [...keys, "cluster", "kind", "uid"].filter((column, index, all) => all.indexOf(column) === index);
  return {
    name: sort,
    // The youngest first is the least age: what was created last.
    isDescending: isReversed !== (key === "age"),
    keys: columns.map((column) => expressions[column] ?? sql.ref(column)),
    types: columns.map((column) => types[column] ?? "text"),
  };
}

const orders: Readonly<Record<string, readonly string[]>> = {
  name: ["namespace", "name"],
  namespace: ["namespace", "name"],
  cluster: ["cluster", "namespace", "name"],
  kind: ["kind", "namespace", "name"],
  age: ["created_at"],
  changed: ["changed_at"],
  health: ["health", "namespace", "name"],
};

const expressions: Readonly<Record<string, RawBuilder<unknown>>> = {
  health: sql`coalesce(health, '')`,
};

const types: Readonly<Record<string, string>> = { created_at: "timestamptz", changed_at: "timestamptz" };

/** Rows behind the position, in this order. */
export function behind(
  { keys, types: columnTypes, isDescending }: Order,
  values: readonly string[],
): RawBuilder<boolean> {
  const row = sql.join(keys);
  const at = sql.join(values.map((value, index) => sql`${value}::${sql.raw(columnTypes[index] ?? "text")}`));
  return isDescending ? sql`(${row}) < (${at})` : sql`(${row}) > (${at})`;
}

export function orderBy({ keys, isDescending }: Pick<Order, "keys" | "isDescending">): RawBuilder<unknown> {
  return sql.join(keys.map((key) => (isDescending ? sql`${key} desc` : sql`${key} asc`)));
}
