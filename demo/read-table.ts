/** The rows of a table as commands print it, by its headings; cells stand under them and may hold spaces. */
export function readTable(text: string): Readonly<Record<string, string>>[] {
  const [heading = "", ...lines] = text.trimEnd().split("\n");
  const columns = [...heading.matchAll(/\S+/g)].map((match) => ({ name: match[0], at: match.index }));
  return lines.map((line) =>
    Object.fromEntries(columns.map(({ name, at }, index) => [name, line.slice(at, columns[index + 1]?.at).trim()])),
  );
}

/** `3s`, `stale 22s`, `offline 5m`: so many seconds, rounded by who printed it; undefined: it isn't known. */
export function readAgeSeconds(text: string): number | undefined {
  const [, amount, unit] = /(?:^|\s)(\d+)([smhd])$/.exec(text) ?? [];
  const factor = { s: 1, m: 60, h: 3600, d: 86_400 }[unit ?? ""];
  return factor === undefined ? undefined : Number(amount) * factor;
}
