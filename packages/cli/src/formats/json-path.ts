// kubectl's JSONPath, as people type it: what isn't one is a usage error.
import * as jsonPath from "@fairlead/kernel/json-path";
import { usage } from "../errors.ts";

/** Parses `{.items[*].metadata.name}`; without any braces it is one query. */
export function parseTemplate(text: string): jsonPath.Template {
  return orUsage(() => jsonPath.parseTemplate(text));
}

/** Parses a single path, in braces or not. */
export function parsePath(text: string): jsonPath.Query {
  return orUsage(() => jsonPath.parsePath(text));
}

function orUsage<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    if (error instanceof jsonPath.JsonPathProblem) throw usage(error.message, error.hint);
    throw error;
  }
}
