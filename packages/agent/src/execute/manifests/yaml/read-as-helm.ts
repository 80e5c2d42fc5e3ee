// Reads what Helm has rendered. Helm has read it already, so whatever it takes is taken here; one document that can't be
// read here hides none of the others.
import { readDialect } from "./read-documents.ts";
import type { Dialect } from "./to-value.ts";
import { YamlProblem } from "./yaml-problem.ts";

export type HelmDocument =
  | { readonly number: number; readonly value: unknown; readonly problem?: undefined }
  | { readonly number: number; readonly problem: YamlProblem };

/**
 * Empty documents are left out, and count. With `exact` integers of more than 53 bits become what JSON.stringify writes
 * with all digits: for what is sent to an API server. Otherwise they are rounded.
 */
export function readAsHelm(
  text: string,
  { integers = "rounded" }: { readonly integers?: "rounded" | "exact" } = {},
): readonly HelmDocument[] {
  const dialect: Dialect = { of: "helm", toInteger: integers === "exact" ? toExact : Number };
  return splitText(text).flatMap((part, index) => readPart(part, index + 1, dialect));
}

/** As Kubernetes' own reader does. Helm begins with such a line. */
function splitText(text: string): readonly string[] {
  const [first = "", ...others] = text.split(/^---[ \t]*(?:#.*)?\r?$/m);
  return first.trim() === "" ? others : [first, ...others];
}

function readPart(text: string, number: number, dialect: Dialect): readonly HelmDocument[] {
  try {
    return readDialect(text, dialect)
      .filter(({ value }) => value !== undefined)
      .map(({ value }) => ({ number, value }));
  } catch (thrown) {
    if (!(thrown instanceof YamlProblem)) throw thrown;
    return [{ number, problem: new YamlProblem({ line: thrown.line, what: thrown.what, document: number }) }];
  }
}

/** An integer that was read with all its digits. It looks like a map. */
export function isExact(value: unknown): boolean {
  return rawJson.isRawJSON(value);
}

function toExact(digits: string): unknown {
  return rawJson.rawJSON(digits);
}

/** This Node knows it, and the types of ES2023 don't. */
const rawJson = JSON as unknown as { rawJSON(text: string): unknown; isRawJSON(value: unknown): boolean };
