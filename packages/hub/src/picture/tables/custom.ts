// The columns that a CRD gives its objects: `additionalPrinterColumns`, as the API server applies them.
import type { Cell } from "@fairlead/contract";
import { type Effort, findAlong, JsonPathProblem, membersOf, parsePath, type Query } from "@fairlead/kernel/json-path";
import { cutCell, name } from "./columns.ts";
import { ellipsis } from "./cut-text.ts";
import { readPrinterColumns } from "./printer-columns.ts";
import type { Printer } from "./types.ts";

/** Undefined when there are none. */
export function createCustomPrinter(printerColumns: unknown): Printer | undefined {
  const columns = (readPrinterColumns(printerColumns) ?? []).flatMap(({ jsonPath, ...column }) => {
    const path = readPath(jsonPath);
    return path === undefined ? [] : { column, path };
  });
  if (columns.length === 0) return undefined;
  const { read, ...nameColumn } = name;
  return {
    columns: [nameColumn, ...columns.map(({ column }) => column)],
    cells(object, nowMs) {
      const effort: Effort = { left: maxEffort };
      const cells = columns.map(({ column, path }) =>
        readCell(path, { type: column.type, object: object.raw, effort }),
      );
      return [read(object, nowMs), ...cells].map(cutCell);
    },
  };
}

/** Undefined for a path that isn't understood: its column is left out. */
function readPath(source: string): Query | undefined {
  try {
    return parsePath(source.trim());
  } catch (error) {
    if (error instanceof JsonPathProblem) return undefined;
    throw error;
  }
}

/** Shows the first of several values that a path leads to, as the API server does. */
function readCell(
  path: Query,
  { type, object, effort }: { readonly type: string; readonly object: unknown; readonly effort: Effort },
): Cell {
  const { value } = findAlong(path, object, effort).next() as IteratorResult<unknown, undefined>;
  if (value === undefined) return effort.left < 0 ? ellipsis : blank;
  const cell = toCell(value, type, effort);
  return effort.left < 0 && typeof value === "object" ? ellipsis : cell;
}

function toCell(value: unknown, type: string, effort: Effort): Cell {
  if (value === null) return blank;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : blank;
    case "number":
      return typeof value === "number" ? value : blank;
    case "boolean":
      return typeof value === "boolean" ? value : blank;
    case "date":
      return typeof value === "string" ? value : blank;
    default:
      return typeof value === "object" ? writeJson(value, effort) : String(value);
  }
}

/** Begins as the JSON of the value does, and isn't longer than what is shown of it. */
function writeJson(value: unknown, effort: Effort): string {
  let text = "";
  const write = (part: unknown): void => {
    if (text.length > maxJsonLength || effort.left < 0) return;
    if (typeof part === "string") {
      text += JSON.stringify(part.slice(0, maxJsonLength));
      return;
    }
    if (typeof part !== "object" || part === null) {
      text += JSON.stringify(part);
      return;
    }
    const isList = Array.isArray(part);
    text += isList ? "[" : "{";
    let count = 0;
    for (const [title, member] of membersOf(part, effort)) {
      effort.left -= 1;
      if (text.length > maxJsonLength || effort.left < 0) break;
      if (count > 0) text += ",";
      count += 1;
      if (!isList) text += `${JSON.stringify(title.slice(0, maxJsonLength))}:`;
      write(member);
    }
    text += isList ? "]" : "}";
  };
  write(value);
  return text;
}

/** As kubectl shows what isn't there. */
const blank = null;
/** Parts of one object that all its cells together look at. */
const maxEffort = 4_096;
/** More than a cell has. */
const maxJsonLength = 1_024;
