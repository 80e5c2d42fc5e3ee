// Where a page ends: the sort key of its last row. It means the same after objects came and went.
import { cursorInvalid } from "./errors.ts";

export interface Position {
  /** What it is a position in; a cursor of another order is refused. */
  readonly order: string;
  readonly values: readonly string[];
}

export function formatCursor({ order, values }: Position): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString("base64url");
}

/** Throws OBJECTS_CURSOR_INVALID. */
export function parseCursor(cursor: string, order: string, length: number): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw cursorInvalid();
  }
  if (!Array.isArray(parsed) || parsed.length !== length + 1 || parsed[0] !== order) throw cursorInvalid();
  if (!parsed.every((value) => typeof value === "string" && !value.includes("\0"))) throw cursorInvalid();
  return parsed.slice(1);
}
