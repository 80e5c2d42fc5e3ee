// kubectl's `-o custom-columns`: a heading and the path to a field for each column.

import { isRawNumber, printable } from "@fairlead/kernel";
import { findValues, printScalar, type Query } from "@fairlead/kernel/json-path";
import { usage } from "../errors.ts";
import { readText } from "../files/index.ts";
import type { TableMaker } from "../output/index.ts";
import { parsePath } from "./json-path.ts";

export interface CustomColumn {
  readonly heading: string;
  readonly path: Query;
}

export interface ColumnFormat {
  readonly columns: readonly CustomColumn[];
  readonly hasHeadings: boolean;
}

/** `NAME:.metadata.name,NODE:.spec.nodeName`. As with kubectl, a path has no comma. */
export function parseCustomColumns(text: string): CustomColumn[] {
  return text.split(",").map((column) => {
    const at = column.indexOf(":");
    if (at < 1) {
      throw usage(
        `'${column}' isn't a valid custom column.`,
        "Write them like -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName.",
      );
    }
    return { heading: column.slice(0, at), path: parsePath(column.slice(at + 1)) };
  });
}

/** A line of headings, and below each its path. */
export async function readCustomColumns(file: string): Promise<CustomColumn[]> {
  const [headings = [], paths = []] = (await readText(file))
    .split("\n")
    .map((line) => line.split(/\s+/).filter(Boolean));
  if (headings.length === 0 || headings.length !== paths.length) {
    throw usage(
      `The file '${file}' doesn't define custom columns: it has ${headings.length} headings and ${paths.length} paths.`,
      "Write the headings in the first line, and a path such as .metadata.name for each in the second.",
    );
  }
  return headings.map((heading, index) => ({ heading, path: parsePath(paths[index] ?? "") }));
}

export function renderColumns(
  output: Pick<TableMaker, "table">,
  documents: readonly unknown[],
  format: ColumnFormat,
): string {
  return output.table(
    columnHeading(format),
    documents.map((document) => columnCells(document, format)),
  );
}

export function columnHeading({ columns, hasHeadings }: ColumnFormat): string[] | undefined {
  return hasHeadings ? columns.map(({ heading }) => heading) : undefined;
}

export function columnCells(document: unknown, { columns }: Pick<ColumnFormat, "columns">): string[] {
  return columns.map(({ path }) => {
    const values = findValues(path, document);
    return values.length === 0 ? "<none>" : printable(values.map(toText).join(","));
  });
}

/** As kubectl, which prints what Go makes of a value. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(toText).join(" ")}]`;
  if (typeof value !== "object" || isRawNumber(value)) return printScalar(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${toText(member)}`).join(" ")}]`;
}
