// Reads the whole tree once and parses it, so that the rules in this folder look at imports and not at text.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  /** The package's folder name, or undefined outside `packages/`. */
  readonly packageName: string | undefined;
  /** First folder below the package's `src`; undefined for files that lie in `src` itself. */
  readonly room: string | undefined;
  readonly isTest: boolean;
  readonly lineCount: number;
  readonly imports: readonly string[];
  readonly errorCodes: readonly string[];
  /** `new FairleadError` whose code isn't a literal: nobody could find it in the documentation. */
  readonly unreadableErrors: number;
  readonly readsEnvironment: boolean;
}

export const root: string = resolve(import.meta.dirname, "../..");

export function readSources(): SourceFile[] {
  return ["packages", "test", "bench", "demo", "deploy", "scripts"].flatMap((folder) =>
    listFiles(join(root, folder)).map(parse),
  );
}

/** Where a relative import leads, from the root of the repository. */
export function resolveImport(from: SourceFile, specifier: string): string {
  return toPath(resolve(root, dirname(from.path), specifier));
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
  const [, packageName, room] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
  const seen = { imports: [] as string[], errorCodes: [] as string[], unreadableErrors: 0, readsEnvironment: false };
  new Visitor({
    ImportDeclaration: (node) => void seen.imports.push(node.source.value),
    ExportAllDeclaration: (node) => void seen.imports.push(node.source.value),
    ExportNamedDeclaration: (node) => void (node.source && seen.imports.push(node.source.value)),
    ImportExpression: (node) => {
      if (node.source.type === "Literal") seen.imports.push(String(node.source.value));
    },
    MemberExpression: (node) => {
      const { object, property } = node;
      if (object.type !== "Identifier" || object.name !== "process") return;
      if (property.type === "Identifier" && property.name === "env") seen.readsEnvironment = true;
    },
    // Tables of errors, such as one per status of the API server.
    Property: (node) => {
      const code = readCodeProperty(node);
      if (code !== undefined) seen.errorCodes.push(code);
    },
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier" || !errorClasses.has(node.callee.name)) return;
      if (readCode(node.arguments[0]) === undefined) seen.unreadableErrors += 1;
    },
  }).visit(program);
  return {
    path,
    packageName: path.startsWith("packages/") ? path.split("/")[1] : packageName,
    room,
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

function readCode(argument: Node | undefined): string | undefined {
  if (argument?.type !== "ObjectExpression") return undefined;
  const { properties } = argument as Node & { properties: readonly Node[] };
  return properties.map(readCodeProperty).find((code) => code !== undefined);
}

function readCodeProperty(property: Node): string | undefined {
  const { key, value } = property as { key?: { name?: string }; value?: { type: string; value?: unknown } };
  if (key?.name !== "code" || value?.type !== "Literal" || typeof value.value !== "string") return undefined;
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value.value) ? value.value : undefined;
}

function toPath(file: string): string {
  return relative(root, file).replaceAll("\\", "/");
}
