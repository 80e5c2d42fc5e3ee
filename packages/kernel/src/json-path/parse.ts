// kubectl's JSONPath templates (client-go's util/jsonpath): text, `{.queries}`, `{"quoted\n"}` and
// `{range .items[*]}…{end}`. All that kubectl reads means here what it means there.
import { parseSteps } from "./parse-steps.ts";
import { JsonPathProblem } from "./problem.ts";
import { Scanner } from "./scanner.ts";
import type { Part, Query } from "./types.ts";

export type Template = readonly Part[];

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
  const [part, ...more] = text.trim() === "" ? [] : parseTemplate(text.startsWith("{") ? text : `{${text}}`);
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
    const isRange = scanner.take(/range(?=[\s.[@$}])/y) !== undefined;
    const query: Query = { steps: parseSteps(scanner) };
    scanner.expect("}");
    parts.push(isRange ? parseRange(scanner, query) : toPart(query));
  }
}

function parseRange(scanner: Scanner, query: Query): Part {
  const body = scanner.inside(() => parseParts(scanner));
  if (!scanner.take(/\{\s*end\s*\}/y)) throw scanner.fail("a {range} has no {end}");
  return { type: "range", query, body };
}

function toPart(query: Query): Part {
  const [only, ...more] = query.steps;
  const isText = only?.type === "value" && typeof only.value === "string" && more.length === 0;
  return isText ? { type: "text", text: only.value as string } : { type: "query", query };
}
