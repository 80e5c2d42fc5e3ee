// docs/errors.md: its prose and its groups are written by hand, its tables come from the tables of errors in the code.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A code with its texts and with every place that declares it. */
export interface ErrorRow {
  readonly code: string;
  readonly meaning: string;
  readonly remedy: string;
  readonly httpStatuses: readonly number[];
  /** The package and the room, such as `hub/work/commands`. */
  readonly places: readonly string[];
}

/** Reads each table under `packages/NAME/src` and `deploy`. Throws for a text that isn't written out where it stands. */
export function readErrorRows(root: string): ErrorRow[] {
  const rows = new Map<string, ErrorRow>();
  const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name, "src"));
  for (const file of [...packages, join(root, "deploy")].flatMap(listFiles)) {
    const path = relative(root, file).replaceAll("\\", "/");
    for (const row of readTables({ path, text: readFileSync(file, "utf8") })) {
      const before = rows.get(row.code);
      rows.set(row.code, before ? merge(before, row) : row);
    }
  }
  return [...rows.values()];
}

/** Reads the rows of the tables of errors in one file. */
export function readTables({ path, text }: { readonly path: string; readonly text: string }): ErrorRow[] {
  if (!/\bmessage:/.test(text)) return [];
  const rows: ErrorRow[] = [];
  new Visitor({
    Property: (node) => {
      const { key, value } = node as unknown as { readonly key: Node; readonly value: Node };
      const code = key.name ?? "";
      if (!/^[A-Z][A-Z0-9_]+$/.test(code) || value.type !== "ObjectExpression") return;
      const parts = new Map((value.properties ?? []).map((part) => [part.key?.name, part.value]));
      if (!parts.has("message")) return;
      const read = (name: string): string => readText(parts.get(name), `${path}: ${name} of ${code}`);
      const status = parts.get("httpStatus")?.value;
      rows.push({
        code,
        meaning: read("meaning") || inGeneral(read("message")),
        remedy: read("remedy") || inGeneral(read("hint")),
        httpStatuses: typeof status === "number" ? [status] : [],
        places: [placeOf(path)],
      });
    },
  }).visit(parseSync(path, text).program);
  return rows;
}

/**
 * Fills the tables between the page's marks. `<!-- errors: AUTH_ hub/work -->` takes the codes that begin with AUTH_ and
 * those that are declared in hub/work. A beginning counts more than a place, and a longer one more than a shorter one.
 * Throws when no mark takes a code.
 */
export function formatErrorsPage({
  page,
  rows,
}: {
  readonly page: string;
  readonly rows: readonly ErrorRow[];
}): string {
  const wishes = [...page.matchAll(marks)].flatMap(([, words = ""]) => words.trim().split(/\s+/));
  const wishOf = new Map(rows.map((row) => [row, chooseWish(row, wishes)]));
  return page.replace(marks, (_, words: string) => {
    const own = words.trim().split(/\s+/);
    const taken = rows.filter((row) => own.includes(wishOf.get(row) ?? ""));
    return `<!-- errors:${words}-->\n${formatTable(taken)}<!-- /errors -->`;
  });
}

const marks = /<!-- errors:([^\n]*?)-->\n[\s\S]*?<!-- \/errors -->/g;

function chooseWish({ code, places }: ErrorRow, wishes: readonly string[]): string {
  const fits = (wish: string): boolean =>
    isPrefix(wish) ? code.startsWith(wish) : places.some((place) => `${place}/`.startsWith(`${wish}/`));
  const [best] = wishes
    .filter(fits)
    .toSorted((one, other) => Number(isPrefix(other)) - Number(isPrefix(one)) || other.length - one.length);
  if (best === undefined) throw new Error(`docs/errors.md has no group for ${code} (${places.join(", ")})`);
  return best;
}

function isPrefix(wish: string): boolean {
  return /^[A-Z]/.test(wish);
}

function formatTable(rows: readonly ErrorRow[]): string {
  const lines = rows
    .toSorted((one, other) => (one.code < other.code ? -1 : 1))
    .map(({ code, meaning, remedy, httpStatuses, places }) => {
      const cells = [
        `\`${code}\``,
        toMarkdown(meaning),
        toMarkdown(remedy),
        httpStatuses.join(", "),
        places.join(", "),
      ];
      return `| ${cells.join(" | ")} |\n`;
    });
  return `| Code | Meaning | What to do | HTTP | Source |\n|---|---|---|---|---|\n${lines.join("")}`;
}

/** A row may be declared in two places; what one of them doesn't say, the other does. */
function merge(one: ErrorRow, other: ErrorRow): ErrorRow {
  return {
    code: one.code,
    meaning: one.meaning || other.meaning,
    remedy: one.remedy || other.remedy,
    httpStatuses: [...new Set([...one.httpStatuses, ...other.httpStatuses])],
    places: [...new Set([...one.places, ...other.places])],
  };
}

/** A text that only one case fills says nothing in general. `{limitBytes}` becomes LIMIT-BYTES. */
function inGeneral(text: string): string {
  if (!/[a-z]/i.test(text.replace(/\{\w+\}/g, ""))) return "";
  const named = text.replace(/\{(\w+)\}/g, (_, name: string) => name.replace(/\B[A-Z]/g, "-$&").toUpperCase());
  return `${named.slice(0, 1).toUpperCase()}${named.slice(1)}${/[.!?)]$/.test(named) ? "" : "."}`;
}

/** Flags, commands and pages look like what they are. Nothing within backticks or links is touched. */
function toMarkdown(text: string): string {
  const parts = text.replace(/'(fairlead(?:-hub|-agent)? [^']+)'/g, "`$1`").split(/(`[^`]*`|\[[^\]]*\]\([^)]*\))/);
  const marked = parts.map((part, at) =>
    at % 2 === 1
      ? part
      : part
          .replace(/(?<![\w`-])(--[a-z][\w-]*…?)/g, "`$1`")
          .replace(/(?<![\w/])docs\/([\w./-]+\.md)/g, "[$1]($1)")
          .replaceAll("<", "\\<"),
  );
  return marked.join("").replaceAll("|", "\\|");
}

function placeOf(path: string): string {
  return path.replace(/^packages\/([^/]+)\/src\//, "$1/").replace(/\/[^/]+$/, "");
}

function readText(node: Node | undefined, where: string): string {
  if (node === undefined) return "";
  if (typeof node.value === "string") return node.value;
  const [quasi, ...more] = node.quasis ?? [];
  if (quasi && more.length === 0) return quasi.value.cooked;
  throw new Error(`${where} isn't one text`);
}

/** Only the shapes that are read here; the parser's own types are wider. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly properties?: readonly { readonly key?: Node; readonly value?: Node }[];
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !/\.(test|fixture|d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](node_modules|dist|gen)[\\/]/.test(path))
    .sort();
}
