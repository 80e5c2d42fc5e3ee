/** A target in words, the figure it is about, and true or false for met. */
export interface Target {
  readonly text: string;
  readonly value: number;
  readonly met: boolean;
}

/** A measured line: a figure for each way to the API server, and its targets. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly targets?: readonly Target[];
}

export function formatTable(columns: readonly string[], rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => {
    const figures = columns.map((column) => formatFigure(row.figures[column]));
    const [first = "", ...further] = (row.targets ?? []).map(formatTarget);
    return [
      [row.name, row.unit, ...figures, first],
      ...further.map((text) => [...figures.map(() => ""), "", "", text]),
    ];
  });
  return alignColumns([["", "unit", ...columns, "target"], ...lines]);
}

function formatTarget({ value, text, met }: Target): string {
  return `${formatFigure(value)} (${text}) ${met ? "met" : "MISSED"}`;
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
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toString();
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
