// The columns that a CRD gives its objects: `additionalPrinterColumns`, as the API server applies them.
import type { Cell } from "@fairlead/contract";
import { isRawNumber, type RawNumber } from "@fairlead/kernel";
import {
  type Effort,
  findFirst,
  JsonPathProblem,
  membersOf,
  parsePath,
  printScalar,
  type Query,
  writeGoScalar,
} from "@fairlead/kernel/json-path";
import { cutCell, name } from "./columns.ts";
import { ellipsis } from "./cut-text.ts";
import { readPrinterColumns } from "./printer-columns.ts";
import type { Printer } from "./types.ts";

/** Undefined when there are none. */
export function createCustomPrinter(printerColumns: unknown): Printer | undefined {
  const columns = readPrinterColumns(printerColumns)?.map(({ jsonPath, ...column }) => ({
    column,
    path: readPath(jsonPath),
  }));
  if (!columns) return undefined;
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

/** Undefined for a path that isn't understood: the cells of its column are empty. */
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
  path: Query | undefined,
  { type, object, effort }: { readonly type: string; readonly object: unknown; readonly effort: Effort },
): Cell {
  if (!path) return blank;
  const value = findFirst(path, object, effort);
  if (value === undefined) return effort.left < 0 ? ellipsis : blank;
  // Go prints a null so; columns of other types leave it out.
  if (value === null) return type === "string" ? "<no value>" : blank;
  const cell = isRawNumber(value) ? toNumberCell(value, type) : toCell(value, type, effort);
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
      return typeof value === "object" ? writeJson(value, effort) : printScalar(value);
  }
}

/** Larger than what a number of JavaScript holds: as a text it keeps its digits. */
function toNumberCell(value: RawNumber, type: string): Cell {
  if (type === "number") return Number(value.rawJSON);
  return type === "integer" || type === "string" ? printScalar(value) : blank;
}

/** Begins as the JSON of the value does, as Go writes it, and isn't longer than what is shown of it. */
function writeJson(value: unknown, effort: Effort): string {
  let text = "";
  const write = (part: unknown): void => {
    if (text.length > maxJsonLength || effort.left < 0) return;
    if (typeof part !== "object" || part === null || isRawNumber(part)) {
      text += writeGoScalar(typeof part === "string" ? part.slice(0, maxJsonLength) : part);
      return;
    }
    const isList = Array.isArray(part);
    text += isList ? "[" : "{";
    let count = 0;
    for (const [title, member] of isList ? membersOf(part, effort) : sortedMembersOf(part, effort)) {
      effort.left -= 1;
      if (text.length > maxJsonLength || effort.left < 0) break;
      if (count > 0) text += ",";
      count += 1;
      if (!isList) text += `${writeGoScalar(title.slice(0, maxJsonLength))}:`;
      write(member);
    }
    text += isList ? "]" : "}";
  };
  write(value);
  return text;
}

/** None when there are more than may be looked at. */
function sortedMembersOf(value: unknown, effort: Effort): (readonly [name: string, member: unknown])[] {
  const members = [...membersOf(value, effort)];
  return effort.left < 0 ? [] : members.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** As kubectl shows what isn't there. */
const blank = null;
/** Parts of one object that all its cells together look at. */
const maxEffort = 4_096;
/** More than a cell has. */
const maxJsonLength = 1_024;
