import { stripVTControlCharacters } from "node:util";
import { guardLine } from "./guard.ts";

/** None: rows alone. */
export type Heading = readonly string[] | undefined;

/** Columns as wide as their widest cell, two spaces apart; no spaces at line ends. Cells may carry colours. */
export function renderTable(heading: Heading, rows: readonly (readonly string[])[]): string {
  return createTableWriter(heading)(rows);
}

/** For rows that come later too: they stand under the same heading, and columns only ever grow wider. */
export function createTableWriter(heading: Heading): (rows: readonly (readonly string[])[]) => string {
  const widths = (heading ?? []).map(widthOf);
  let isBegun = false;
  return (rows) => {
    const safe = rows.map((row) => row.map(guardLine));
    for (const row of safe) {
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
    const lines = isBegun || !heading ? safe : [heading, ...safe];
    isBegun = true;
    return lines.map((line) => renderLine(line, widths)).join("");
  };
}

function renderLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)));
  return `${padded.join("  ").trimEnd()}\n`;
}

function widthOf(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
