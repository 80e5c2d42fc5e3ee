import { isRawNumber } from "../exact-json.ts";
import { type Effort, find } from "./find.ts";
import { printScalar, writeGoJson } from "./go-text.ts";
import type { Template } from "./parse.ts";
import type { Part, Query } from "./types.ts";

/**
 * Prints as kubectl does: several values with a space between, objects as JSON. Where kubectl ends in an error, because
 * an index is out of bounds or values can't be compared, the value in question is left out.
 */
export function evaluateTemplate(template: Template, document: unknown): string {
  return template.map((part) => printPart(part, document, document)).join("");
}

/** All values that the query leads to, or as many as the effort allows. */
export function findValues(query: Query, document: unknown, effort: Effort = unlimited()): unknown[] {
  return [...find(query.steps, { current: document, root: document, effort, isExact: false })];
}

function printPart(part: Part, current: unknown, root: unknown): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "query":
      return valuesOf(part.query, current, root).map(printValue).join(" ");
    case "range":
      return valuesOf(part.query, current, root)
        .map((value) => part.body.map((inner) => printPart(inner, value, root)).join(""))
        .join("");
    default:
      return part satisfies never;
  }
}

function printValue(value: unknown): string {
  const hasMembers = typeof value === "object" && value !== null && !isRawNumber(value);
  return hasMembers ? writeGoJson(value) : printScalar(value);
}

function valuesOf(query: Query, current: unknown, root: unknown): unknown[] {
  return [...find(query.steps, { current, root, effort: unlimited(), isExact: false })];
}

function unlimited(): Effort {
  return { left: Number.POSITIVE_INFINITY };
}
