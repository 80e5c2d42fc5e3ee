// A small writer of HCL, formatted as `tofu fmt` formats it. Entries of one line are aligned at their `=`; an entry of
// several lines stands between blank lines, as it ends an alignment.
export interface Expression {
  readonly expression: string;
}

export type Value = string | number | boolean | Expression | readonly Value[] | { readonly [key: string]: Value };

export interface Block {
  readonly type: string;
  readonly labels: readonly string[];
  readonly entries: Readonly<Record<string, Value>>;
  readonly blocks: readonly Block[];
}

export function block(
  type: string,
  labels: readonly string[],
  entries: Readonly<Record<string, Value>>,
  blocks: readonly Block[] = [],
): Block {
  return { type, labels, entries, blocks };
}

export function resource(
  type: string,
  name: string,
  entries: Readonly<Record<string, Value>>,
  blocks: readonly Block[] = [],
): Block {
  return block("resource", [type, name], entries, blocks);
}

/** HCL as it stands: `var.name`, `aws_vpc.main.id`. */
export function raw(expression: string): Expression {
  return { expression };
}

export function writeBlocks(blocks: readonly Block[]): string {
  return `${blocks.map((one) => writeBlock(one, "")).join("\n\n")}\n`;
}

function writeBlock({ type, labels, entries, blocks }: Block, indent: string): string {
  const head = [type, ...labels.map(quote), "{"].join(" ");
  const inner = `${indent}  `;
  const parts = [writeEntries(entries, inner), ...blocks.map((one) => writeBlock(one, inner))].filter(Boolean);
  if (parts.length === 0) return `${indent}${head}}`;
  return `${indent}${head}\n${parts.join("\n\n")}\n${indent}}`;
}

function writeEntries(entries: Readonly<Record<string, Value>>, indent: string): string {
  const groups: { readonly rows: [string, string][]; readonly isLong: boolean }[] = [];
  for (const [key, value] of Object.entries(entries)) {
    const text = writeValue(value, indent);
    const isLong = text.includes("\n");
    const last = groups.at(-1);
    if (last === undefined || isLong || last.isLong) groups.push({ rows: [[key, text]], isLong });
    else last.rows.push([key, text]);
  }
  return groups.map(({ rows }) => writeRows(rows, indent)).join("\n\n");
}

function writeRows(rows: readonly [string, string][], indent: string): string {
  const width = Math.max(...rows.map(([key]) => key.length));
  return rows.map(([key, text]) => `${indent}${key.padEnd(width)} = ${text}`).join("\n");
}

function writeValue(value: Value, indent: string): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object") return String(value);
  if (isExpression(value)) return value.expression;
  if (isList(value)) return writeList(value, indent);
  const keyed = Object.entries(value).map(([key, one]) => [isPlainKey(key) ? key : quote(key), one] as const);
  if (keyed.length === 0) return "{}";
  return `{\n${writeEntries(Object.fromEntries(keyed), `${indent}  `)}\n${indent}}`;
}

function writeList(values: readonly Value[], indent: string): string {
  const texts = values.map((one) => writeValue(one, `${indent}  `));
  if (!texts.some((text) => text.includes("\n"))) return `[${texts.join(", ")}]`;
  return `[\n${texts.map((text) => `${indent}  ${text},\n`).join("")}${indent}]`;
}

/** Text that stays text: neither `${` nor `%{` begins a template in it. */
export function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
}

function isExpression(value: object): value is Expression {
  return "expression" in value;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isPlainKey(key: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(key);
}
