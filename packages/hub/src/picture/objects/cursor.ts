// Where a page ends: the sort key of its last row. It means the same after objects came and went.
import { objectsErrors } from "./errors.ts";
import type { Order } from "./order.ts";

export interface Position {
  /** The order that it is a position in; a cursor of another order is refused. */
  readonly order: string;
  readonly values: readonly string[];
}

export function formatCursor({ order, values }: Position): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString("base64url");
}

/** Throws OBJECTS_CURSOR_INVALID. */
export function parseCursor(cursor: string, { name, types }: Pick<Order, "name" | "types">): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw objectsErrors.OBJECTS_CURSOR_INVALID();
  }
  if (!Array.isArray(parsed) || parsed.length !== types.length + 1 || parsed[0] !== name)
    throw objectsErrors.OBJECTS_CURSOR_INVALID();
  if (!parsed.every((value) => typeof value === "string" && !value.includes("\0")))
    throw objectsErrors.OBJECTS_CURSOR_INVALID();
  const values: string[] = parsed.slice(1);
  if (!values.every((value, index) => forms[types[index] ?? "text"]?.test(value)))
    throw objectsErrors.OBJECTS_CURSOR_INVALID();
  return values;
}

/** As the database writes them. */
const forms: Readonly<Record<string, RegExp>> = {
  text: /^/,
  timestamptz: /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?[-+]\d\d(:\d\d)?$/,
};
