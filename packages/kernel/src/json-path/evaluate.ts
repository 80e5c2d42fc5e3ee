import { isRecord } from "../is-record.ts";
import type { Template } from "./parse.ts";
import type { Operand, Part, Query, Step } from "./types.ts";

/** Prints as kubectl does: several values with a space between, objects as JSON, nothing for what isn't there. */
export function evaluateTemplate(template: Template, document: unknown): string {
  return template.map((part) => printPart(part, document, document)).join("");
}

export function findValues(query: Query, document: unknown): unknown[] {
  return [...findAlong(query, document, unlimited())];
}

/**
 * The looks that are left; below 0: something was left out. A path with several `*` could lead to every part of an
 * object.
 */
export interface Effort {
  left: number;
}

/** Finds the values that the query leads to, one after the other. Ends early when the effort is used up. */
export function findAlong(query: Query, document: unknown, effort: Effort): Generator<unknown> {
  return find(query, { current: document, root: document, effort });
}

/** Lists the members of an object or a list. Listing many names costs as much as looking at them. */
export function* membersOf(value: unknown, effort: Effort): Generator<readonly [name: string, member: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield [String(index), item];
  } else if (isRecord(value)) {
    const names = Object.keys(value);
    effort.left -= names.length;
    for (const name of names) yield [name, value[name]];
  }
}

function printPart(part: Part, current: unknown, root: unknown): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "query":
      return valuesOf(part.query, current, root).map(print).join(" ");
    case "range":
      return valuesOf(part.query, current, root)
        .map((value) => part.body.map((inner) => printPart(inner, value, root)).join(""))
        .join("");
    default:
      return part satisfies never;
  }
}

function print(value: unknown): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function valuesOf(query: Query, current: unknown, root: unknown): unknown[] {
  return [...find(query, { current, root, effort: unlimited() })];
}

function unlimited(): Effort {
  return { left: Number.POSITIVE_INFINITY };
}

interface Place {
  /** What a query begins at, unless it begins with `$`. */
  readonly current: unknown;
  readonly root: unknown;
  readonly effort: Effort;
}

function find({ isFromRoot, steps }: Query, place: Place): Generator<unknown> {
  return walk(steps, isFromRoot ? { ...place, current: place.root } : place);
}

function* walk([step, ...rest]: readonly Step[], place: Place): Generator<unknown> {
  if (!step) {
    yield place.current;
    return;
  }
  for (const next of follow(step, place)) {
    place.effort.left -= 1;
    if (place.effort.left < 0) return;
    yield* walk(rest, { ...place, current: next });
  }
}

function* follow(step: Step, place: Place): Generator<unknown> {
  const { current: value, effort } = place;
  switch (step.type) {
    case "member":
      if (isRecord(value) && Object.hasOwn(value, step.name)) yield value[step.name];
      break;
    case "all":
      for (const [, member] of membersOf(value, effort)) yield member;
      break;
    case "descend":
      yield value;
      for (const [, member] of membersOf(value, effort)) {
        effort.left -= 1;
        if (effort.left < 0) return;
        yield* follow(step, { ...place, current: member });
      }
      break;
    case "index":
      if (Array.isArray(value) && value.at(step.index) !== undefined) yield value.at(step.index);
      break;
    case "slice": {
      const items: unknown[] = Array.isArray(value) ? value.slice(step.from, step.to) : [];
      // Those that are skipped are looked at, too.
      if (step.step !== 1) effort.left -= items.length;
      yield* step.step === 1 ? items : items.filter((_, index) => step.step > 0 && index % step.step === 0);
      break;
    }
    case "union":
      for (const one of step.steps) yield* follow(one, place);
      break;
    case "filter":
      // As in kubectl, which filters no objects.
      if (Array.isArray(value)) yield* filter(step, value, place);
      break;
    default:
      step satisfies never;
  }
}

function* filter(
  { left, test }: Extract<Step, { type: "filter" }>,
  items: readonly unknown[],
  place: Place,
): Generator<unknown> {
  for (const item of items) {
    place.effort.left -= 1;
    if (place.effort.left < 0) return;
    const inItem: Place = { ...place, current: item };
    const values = operandValues(left, inItem);
    const wanted = test ? operandValues(test.right, inItem) : [];
    const passes = test
      ? values.some((one) => wanted.some((other) => compare(one, test.operator, other)))
      : values.length > 0;
    if (passes) yield item;
  }
}

function operandValues(operand: Operand, place: Place): unknown[] {
  return operand.type === "value" ? [operand.value] : [...find(operand.query, place)];
}

function compare(one: unknown, operator: string, other: unknown): boolean {
  if (operator === "==") return one === other;
  if (operator === "!=") return one !== other;
  // Only numbers and texts have an order, and only among themselves.
  const isOrdered = typeof one === typeof other && (typeof one === "number" || typeof one === "string");
  if (!isOrdered) return false;
  const [a, b] = [one as string, other as string];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}
