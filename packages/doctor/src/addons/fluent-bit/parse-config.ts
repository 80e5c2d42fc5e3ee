/** A section of Fluent Bit's classic configuration, such as `[OUTPUT]`. Its keys know no case, and may stand twice. */
export interface ConfigSection {
  readonly kind: string;
  readonly entries: readonly (readonly [name: string, value: string])[];
}

export function parseFluentBitConfig(text: string): ConfigSection[] {
  const sections: { readonly kind: string; readonly entries: [name: string, value: string][] }[] = [];
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith("@")) continue;
    const head = /^\[([A-Za-z_]+)\]$/.exec(line);
    if (head) {
      sections.push({ kind: (head[1] ?? "").toUpperCase(), entries: [] });
      continue;
    }
    const [name = "", ...words] = line.split(/\s+/);
    sections.at(-1)?.entries.push([name.toLowerCase(), words.join(" ")]);
  }
  return sections;
}

/** The last one counts. */
export function readEntry({ entries }: ConfigSection, name: string): string | undefined {
  return entries.findLast(([each]) => each === name)?.[1];
}
