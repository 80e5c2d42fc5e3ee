import type { MetricTable } from "./metrics.ts";

/** Puts a program's table between its marks in docs/metrics.md. Throws when the page has no marks for it. */
export function replaceMetrics(
  page: string,
  { program, table }: { readonly program: string; readonly table: MetricTable },
): string {
  const [begin, end] = [`<!-- metrics of ${program} -->\n`, `<!-- end of metrics of ${program} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/metrics.md has no marks for ${program}`);
  const rows = Object.entries(table).map(([name, { type, labels, unit, help }]) =>
    toRow([`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(", "), unit, help.replaceAll("|", "\\|")]),
  );
  const head = toRow(["Metric", "Type", "Labels", "Unit", "Meaning"]);
  return `${page.slice(0, from)}${begin}\n${head}|---|---|---|---|---|\n${rows.join("")}\n${page.slice(to)}`;
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}
