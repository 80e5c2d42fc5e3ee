// Reads the tree and parses it, so that the rules in this folder look at imports and not at text.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  /** The package's folder name, or undefined outside `packages/`. */
  readonly packageName: string | undefined;
  /** In the hub only: the folder below `src` in which rooms lie. */
  readonly wing: string | undefined;
  /** The folder below the package's `src`, or below a wing; undefined for files that lie in none. */
  readonly room: string | undefined;
  readonly isTest: boolean;
  readonly lineCount: number;
  readonly imports: readonly string[];
  /** Names that it exports and declares itself. */
  readonly declares: readonly string[];
  /** Codes in tables of errors, and those that are told without an error. */
  readonly errorCodes: readonly string[];
  /** True where an error is made without a table: nobody could find its code in the documentation. */
  readonly makesErrors: boolean;
  /** Codes, or beginnings of codes, that an error's `code` is compared with as text: nobody would notice a misspelt one. */
  readonly comparedCodes: readonly string[];
  readonly readsEnvironment: boolean;
  /** Lines of objects and arrays that another one is spread into as a literal: the compiler finds no misspelt key there. */
  readonly spreadLiterals: readonly number[];
}

export const root: string = resolve(import.meta.dirname, "../..");

/** Reads the whole tree unless folders are named; each file once. */
export function readSources(
  folders: readonly string[] = ["packages", "test", "bench", "chaos", "demo", "deploy", "scripts"],
): SourceFile[] {
  return folders.flatMap((folder) => listFiles(join(root, folder)).map(read));
}

const known = new Map<string, SourceFile>();

function read(file: string): SourceFile {
  const source = known.get(file) ?? parse(file);
  known.set(file, source);
  return source;
}

/** Where a relative import leads, from the root of the repository. */
export function resolveImport(from: SourceFile, specifier: string): string {
  return toPath(resolve(root, dirname(from.path), specifier));
}

export function locate(path: string): Pick<SourceFile, "packageName" | "wing" | "room"> {
  const [top, packageName, , ...inside] = path.split("/");
  if (top !== "packages") return { packageName: undefined, wing: undefined, room: undefined };
  const folders = inside.slice(0, -1);
  const [wing, room] = packageName === "hub" ? folders : [undefined, folders[0]];
  return { packageName, wing, room };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", "gen"].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

function parse(file: string): SourceFile {
  const text = readFileSync(file, "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const path = toPath(file);
  const seen = {
    imports: [] as string[],
    declares: [] as string[],
    errorCodes: [] as string[],
    comparedCodes: [] as string[],
    makesErrors: false,
    readsEnvironment: false,
    spreadLiterals: [] as number[],
  };
  const noteSpread = (type: string, elements: readonly (Node | null)[]): void => {
    for (const element of elements) {
      if (element?.type !== "SpreadElement") continue;
      const { argument, start } = element as Node & { readonly argument: Node; readonly start: number };
      if (argument.type === type) seen.spreadLiterals.push(text.slice(0, start).split("\n").length);
    }
  };
  new Visitor({
    ImportDeclaration: (node) => void seen.imports.push(node.source.value),
    ExportAllDeclaration: (node) => void seen.imports.push(node.source.value),
    ExportNamedDeclaration: (node) => {
      if (node.source) seen.imports.push(node.source.value);
      if (node.declaration) seen.declares.push(...readNames(node.declaration));
    },
    ImportExpression: (node) => {
      if (node.source.type === "Literal") seen.imports.push(String(node.source.value));
    },
    MemberExpression: (node) => {
      const { object, property } = node;
      if (object.type !== "Identifier" || object.name !== "process") return;
      if (property.type === "Identifier" && property.name === "env") seen.readsEnvironment = true;
    },
    // Rows of tables of errors, under their codes.
    Property: (node) => {
      const code = readRow(node) ?? readCodeProperty(node);
      if (code !== undefined) seen.errorCodes.push(code);
    },
    ObjectExpression: (node) => noteSpread(node.type, node.properties),
    ArrayExpression: (node) => noteSpread(node.type, node.elements),
    BinaryExpression: (node) => {
      for (const [one, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        if (isCode(one) && readCodeText(other) !== undefined) seen.comparedCodes.push(readCodeText(other) as string);
      }
    },
    CallExpression: ({ callee, arguments: [argument] }) => {
      if (callee.type !== "MemberExpression" || !isCode(callee.object)) return;
      if (callee.property.type !== "Identifier" || callee.property.name !== "startsWith") return;
      seen.comparedCodes.push(readCodeText(argument) ?? "?");
    },
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && errorClasses.has(node.callee.name)) seen.makesErrors = true;
    },
  }).visit(program);
  return {
    path,
    ...locate(path),
    isTest: /\.(test|fixture)\.ts$/.test(path),
    lineCount: text.split("\n").length - 1,
    ...seen,
  };
}

/** The base of all errors, and the one subclass that adds a member. */
const errorClasses: ReadonlySet<string> = new Set(["FairleadError", "HubError"]);

/** Only the shapes that are read here; the parser's own types are wider. */
interface Node {
  readonly type: string;
}

function readNames(declaration: Node): string[] {
  const { id, declarations = [] } = declaration as {
    readonly id?: { readonly name?: string } | null;
    readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
  };
  return [id, ...declarations.map((each) => each.id)].flatMap((each) => each?.name ?? []);
}

function readCodeProperty(property: Node): string | undefined {
  const { key, value } = property as { key?: { name?: string }; value?: { type: string; value?: unknown } };
  if (key?.name !== "code" || value?.type !== "Literal" || typeof value.value !== "string") return undefined;
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value.value) ? value.value : undefined;
}

function isCode(node: Node): boolean {
  const { name, property } = node as Node & { name?: string; property?: { name?: string } };
  return (property?.name ?? name) === "code";
}

function readCodeText(node: Node | undefined): string | undefined {
  const { value } = (node ?? {}) as { value?: unknown };
  return typeof value === "string" && /^[A-Z]+_[A-Z0-9_]*$/.test(value) ? value : undefined;
}

function readRow(property: Node): string | undefined {
  const { key, value } = property as { key?: { name?: string }; value?: Node & { properties?: readonly Node[] } };
  const names = value?.properties?.map((part) => (part as { key?: { name?: string } }).key?.name) ?? [];
  return key?.name !== undefined && /^[A-Z][A-Z0-9_]+$/.test(key.name) && names.includes("message")
    ? key.name
    : undefined;
}

function toPath(file: string): string {
  return relative(root, file).replaceAll("\\", "/");
}
