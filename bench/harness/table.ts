/** One measured line: a figure for each way to the API server, and whether a target was met. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly figures: Readonly<Record<string, number>>;
  /** What the target says in words, the figure it is about, and whether it was met. */
  readonly target?: { readonly text: string; readonly value: number; readonly met: boolean } | undefined;
}

export function formatTable(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.name,
    row.unit,
    ...columns.map((column) => formatFigure(row.figures[column])),
    row.target ? `${formatFigure(row.target.value)} (${row.target.text}) ${row.target.met ? "met" : "MISSED"}` : "",
  ]);
  return alignColumns([["", "unit", ...columns, "target"], ...lines]);
}

function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Names and units read from the left, figures from the right. */
function pad(cell: string, width: number, column: number): string {
  return column >= 2 && /^[\d.,–-]*$/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
}

function formatFigure(value: number | undefined): string {
  if (value === undefined) return "–";
  if (value >= 1000) return Math.round(value).toString();
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
