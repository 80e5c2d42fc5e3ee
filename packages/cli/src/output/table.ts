import { stripVTControlCharacters } from "node:util";

/** Columns as wide as their widest cell, two spaces apart; no spaces at line ends. Cells may carry colours. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ""))));
  return lines.map((line) => renderLine(line, widths)).join("");
}

function renderLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)));
  return `${padded.join("  ").trimEnd()}\n`;
}

function widthOf(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
