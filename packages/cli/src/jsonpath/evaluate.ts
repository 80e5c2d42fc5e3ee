import type { Template } from "./parse.ts";
import type { Operand, Part, Query, Step } from "./types.ts";

/** Prints as kubectl does: several values with a space between, objects as JSON, nothing for what isn't there. */
export function evaluateTemplate(template: Template, document: unknown): string {
  return template.map((part) => printPart(part, document, document)).join("");
}

export function findValues(query: Query, document: unknown): unknown[] {
  return find(query, document, document);
}

function printPart(part: Part, current: unknown, root: unknown): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "query":
      return find(part.query, current, root).map(print).join(" ");
    case "range":
      return find(part.query, current, root)
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

function find({ isFromRoot, steps }: Query, current: unknown, root: unknown): unknown[] {
  let values: unknown[] = [isFromRoot ? root : current];
  for (const step of steps) values = values.flatMap((value) => go(step, value, root));
  return values;
}

function go(step: Step, value: unknown, root: unknown): unknown[] {
  switch (step.type) {
    case "member":
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case "all":
      return childrenOf(value);
    case "descend":
      return [value, ...childrenOf(value).flatMap((child) => go(step, child, root))];
    case "index":
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
    case "slice": {
      const items: unknown[] = Array.isArray(value) ? value.slice(step.from, step.to) : [];
      return step.step === 1 ? items : items.filter((_, index) => step.step > 0 && index % step.step === 0);
    }
    case "union":
      return step.steps.flatMap((one) => go(one, value, root));
    case "filter":
      return childrenOf(value).filter((child) => passes(step, child, root));
    default:
      return step satisfies never;
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function passes({ left, test }: Extract<Step, { type: "filter" }>, child: unknown, root: unknown): boolean {
  const values = operandValues(left, child, root);
  if (!test) return values.length > 0;
  const wanted = operandValues(test.right, child, root);
  return values.some((one) => wanted.some((other) => compare(one, test.operator, other)));
}

function operandValues(operand: Operand, current: unknown, root: unknown): unknown[] {
  return operand.type === "value" ? [operand.value] : find(operand.query, current, root);
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
