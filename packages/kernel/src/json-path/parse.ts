// kubectl's JSONPath templates: text, `{.queries}`, `{"quoted\n"}` and `{range .items[*]}…{end}`.
import { Scanner } from "./scanner.ts";
import type { Operand, Part, Query, Step } from "./types.ts";

export type Template = readonly Part[];

/** Why a text isn't a template or a path, and what one looks like. */
export class JsonPathProblem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Without any braces it is one query. Throws a JsonPathProblem. */
export function parseTemplate(text: string): Template {
  const scanner = new Scanner(text.includes("{") ? text : `{${text}}`, fail);
  const parts = parseParts(scanner);
  if (!scanner.isAtEnd) throw fail("it has an {end} without its {range}");
  return parts;

  function fail(why: string): Error {
    return new JsonPathProblem(
      `'${text}' isn't a JSONPath template: ${why}.`,
      `Write it like {.items[*].metadata.name}.`,
    );
  }
}

/** Parses a single query, in braces or not: `.metadata.name`, `metadata.name`, `{.metadata.name}`. Throws a JsonPathProblem. */
export function parsePath(text: string): Query {
  // A brace may also stand in a name in quotes.
  const [part, ...more] = parseTemplate(text.startsWith("{") ? text : `{${text}}`);
  if (part?.type === "query" && more.length === 0) return part.query;
  throw new JsonPathProblem(`'${text}' isn't a path to a field.`, "Write it like .metadata.name.");
}

/** As far as the text goes, or to an `{end}`, which is left for whom it belongs to. */
function parseParts(scanner: Scanner): Part[] {
  const parts: Part[] = [];
  for (;;) {
    const text = scanner.takeUntil("{");
    if (text !== "") parts.push({ type: "text", text });
    if (scanner.isAtEnd || scanner.sees(/\{\s*end\s*\}/y)) return parts;
    scanner.expect("{");
    scanner.skipSpaces();
    if (scanner.take(/range\s+/y)) parts.push(parseRange(scanner));
    else while (!scanner.take(/\s*\}/y)) parts.push(parseExpression(scanner));
  }
}

function parseRange(scanner: Scanner): Part {
  const query = parseQuery(scanner);
  scanner.skipSpaces();
  scanner.expect("}");
  const body = scanner.inside(() => parseParts(scanner));
  if (!scanner.take(/\{\s*end\s*\}/y)) throw scanner.fail("a {range} has no {end}");
  return { type: "range", query, body };
}

function parseExpression(scanner: Scanner): Part {
  scanner.skipSpaces();
  const text = scanner.takeQuoted();
  if (text !== undefined) return { type: "text", text };
  return { type: "query", query: parseQuery(scanner) };
}

function parseQuery(scanner: Scanner): Query {
  const start = scanner.take(/[$@]/y);
  const steps: Step[] = [];
  let isWhole = start !== undefined;
  for (;;) {
    if (scanner.take(/\.\./y)) {
      steps.push({ type: "descend" });
      if (!scanner.sees(/\[/y)) steps.push(parseName(scanner));
    } else if (scanner.take(/\./y)) {
      // `{.}` is the whole of it.
      isWhole = true;
      if (!scanner.sees(/[\s})[=!<>]|$/y)) steps.push(parseName(scanner));
    } else if (scanner.take(/\[/y)) {
      steps.push(parseBrackets(scanner));
    } else if (steps.length === 0 && start === undefined && scanner.sees(/[A-Za-z_]/y)) {
      steps.push(parseName(scanner));
    } else {
      break;
    }
  }
  // A query takes at least a character of the text, so that a template without end is none.
  if (steps.length === 0 && !isWhole) throw scanner.unexpected();
  return { isFromRoot: start === "$", steps };
}

/** A dot in a name is written `\.`, as in `.metadata.labels.app\.kubernetes\.io/name`. */
function parseName(scanner: Scanner): Step {
  if (scanner.take(/\*/y)) return { type: "all" };
  const name = scanner.take(/(?:\\.|[^\s.[\](){}=!<>,'"\\])+/y);
  if (name === undefined) throw scanner.unexpected();
  return { type: "member", name: name.replace(/\\(.)/g, "$1") };
}

function parseBrackets(scanner: Scanner): Step {
  if (scanner.take(/\?\(/y)) return scanner.inside(() => parseFilter(scanner));
  const steps = [parseKey(scanner)];
  while (scanner.take(/\s*,/y)) steps.push(parseKey(scanner));
  scanner.skipSpaces();
  scanner.expect("]");
  const [only] = steps;
  return steps.length === 1 && only ? only : { type: "union", steps };
}

function parseKey(scanner: Scanner): Step {
  scanner.skipSpaces();
  if (scanner.take(/\*/y)) return { type: "all" };
  const name = scanner.takeQuoted();
  if (name !== undefined) return { type: "member", name };
  const range = scanner.take(/(?:-?\d+)?(?::(?:-?\d+)?){0,2}/y) ?? "";
  const [from = "", to, step = ""] = range.split(":");
  if (range === "") throw scanner.unexpected();
  if (to === undefined) return { type: "index", index: Number(from) };
  return {
    type: "slice",
    ...(from !== "" && { from: Number(from) }),
    ...(to !== "" && { to: Number(to) }),
    step: step === "" ? 1 : Number(step),
  };
}

function parseFilter(scanner: Scanner): Step {
  const left = parseOperand(scanner);
  const operator = scanner.take(/\s*(?:==|!=|<=|>=|<|>)/y)?.trim();
  const right = operator === undefined ? undefined : parseOperand(scanner);
  scanner.skipSpaces();
  scanner.expect(")");
  scanner.expect("]");
  return { type: "filter", left, ...(operator !== undefined && right && { test: { operator, right } }) };
}

function parseOperand(scanner: Scanner): Operand {
  scanner.skipSpaces();
  const text = scanner.takeQuoted();
  if (text !== undefined) return { type: "value", value: text };
  const word = scanner.take(/(?:true|false|null|-?\d+(?:\.\d+)?)\b/y);
  if (word !== undefined) return { type: "value", value: JSON.parse(word) };
  return { type: "query", query: parseQuery(scanner) };
}
