// YAML documents to declarations. Every complaint names file, line and what it is about; values are never repeated, as
// somebody may have put a secret in the wrong place.
import { isSystemName } from "@fairlead/kernel";
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from "yaml";
import { ZodError } from "zod";
import { declarationErrors } from "./errors.ts";
import type { FileText } from "./read-folder.ts";
import { declaredKinds, readDeclaration } from "./schema.ts";
import type { Declaration, DeclaredKind } from "./types.ts";

/** Throws DECLARATION_SYNTAX and DECLARATION_INVALID. */
export function parseFiles(files: readonly FileText[], folder: string): Declaration[] {
  const found: Declaration[] = [];
  for (const file of files) {
    found.push(...parseFile(file));
    if (found.length > mostDocuments) {
      throw declarationErrors.DECLARATIONS_TOO_MANY({
        folder,
        problem: `they contain more than ${mostDocuments} documents`,
      });
    }
  }
  return found;
}

function parseFile({ name: file, text }: FileText): Declaration[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, logLevel: "error" });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const lineOf = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
    const [error] = document.errors;
    if (error) {
      const [reason = "unknown reason"] = error.message.split(/ at line |\n/);
      throw declarationErrors.DECLARATION_SYNTAX({ file, line: lineOf(error.pos[0]), reason });
    }
    return parseDocument(document, { file, lineOf });
  });
}

interface Surroundings {
  readonly file: string;
  lineOf(offset: number | undefined): number;
}

/** None for an empty document. */
function parseDocument(document: Document.Parsed, { file, lineOf }: Surroundings): Declaration[] {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  const place = { file, line: lineOf(contents.range[0]) };
  const fail = (problem: string, what = "the document", line = place.line) =>
    declarationErrors.DECLARATION_INVALID({ file, line, what, problem });
  if (!isMap(contents)) throw fail("it isn't a mapping");
  const { apiVersion, kind, name, ...content } = toPlain(document, fail);
  if (apiVersion !== declaredVersion) throw fail(`its apiVersion isn't ${declaredVersion}`);
  if (!isDeclaredKind(kind)) throw fail(`its kind isn't one of ${declaredKinds.join(", ")}`);
  const what = isName(name) ? `${kind} ${name}` : kind;
  try {
    const declaration = readDeclaration({ kind, name, content, place });
    refuseSystemNames(declaration, (problem) => fail(problem, what));
    return [declaration];
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const [issue] = error.issues;
    const path = issue?.path ?? [];
    const node = document.getIn(path, true) as { range?: readonly number[] } | undefined;
    const at = path.length > 0 ? `${path.join(".")}: ` : "";
    throw fail(`${at}${issue?.message ?? "it can't be read"}`, what, node?.range ? lineOf(node.range[0]) : place.line);
  }
}

function toPlain(document: Document.Parsed, fail: (problem: string) => Error): Record<string, unknown> {
  try {
    // None: a few lines of aliases can stand for more than fits into memory.
    return document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  } catch {
    throw fail("it has an alias (*), and aliases aren't taken");
  }
}

/** Nobody is one of a cluster's own by way of the hub. */
function refuseSystemNames(declaration: Declaration, fail: (problem: string) => Error): void {
  const names = namesIn(declaration);
  if (names.some(isSystemName)) throw fail("it names a user or a group under system:");
}

function namesIn(declaration: Declaration): readonly string[] {
  switch (declaration.kind) {
    case "Role": {
      const { groups = [], mayImpersonate } = declaration.role;
      return [...groups, ...(mayImpersonate?.users ?? []), ...(mayImpersonate?.groups ?? [])];
    }
    case "Binding":
      return [declaration.binding.subject.name];
    case "Cluster":
    case "Robot":
    case "Limits":
      return [];
  }
}

function isDeclaredKind(kind: unknown): kind is DeclaredKind {
  return declaredKinds.includes(kind as DeclaredKind);
}

function isName(name: unknown): name is string {
  return typeof name === "string" && /^[a-z0-9-]{1,63}$/.test(name);
}

const declaredVersion = "fairlead.dev/v1";
const mostDocuments = 20_000;
