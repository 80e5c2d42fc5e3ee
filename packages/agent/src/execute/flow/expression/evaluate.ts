import type { StepValue } from "../values/step-value.ts";
import type { Comparison, Expression, Status } from "./types.ts";

export interface Situation {
  holds(status: Status): boolean;
  /** JSON; null for what isn't there. */
  lookUp(value: StepValue): unknown;
}

/** Throws an Error that says what doesn't fit. */
export function evaluate(expression: Expression, situation: Situation): boolean {
  return toBoolean(find(expression, situation));
}

/** An `if` that looks at how the flow goes decides by itself what comes of it after a failure. */
export function mentions(expression: Expression, statuses: readonly Status[]): boolean {
  switch (expression.is) {
    case "literal":
    case "step":
      return false;
    case "status":
      return statuses.includes(expression.status);
    case "not":
      return mentions(expression.operand, statuses);
    case "and":
    case "or":
    case "compare":
      return mentions(expression.left, statuses) || mentions(expression.right, statuses);
  }
}

function find(expression: Expression, situation: Situation): unknown {
  switch (expression.is) {
    case "literal":
      return expression.value;
    case "status":
      return situation.holds(expression.status);
    case "step":
      return situation.lookUp(expression.value);
    case "not":
      return !evaluate(expression.operand, situation);
    case "and":
      return evaluate(expression.left, situation) && evaluate(expression.right, situation);
    case "or":
      return evaluate(expression.left, situation) || evaluate(expression.right, situation);
    case "compare":
      return compare(expression.operator, find(expression.left, situation), find(expression.right, situation));
  }
}

function compare(operator: Comparison, left: unknown, right: unknown): boolean {
  if (operator === "<" || operator === ">") {
    if (typeof left !== "number" || typeof right !== "number")
      throw new Error(`${operator} compares numbers, and not ${name(left)} and ${name(right)}`);
    return operator === "<" ? left < right : left > right;
  }
  const complex = [left, right].find((value) => typeof value === "object" && value !== null);
  if (complex !== undefined && left !== null && right !== null)
    throw new Error(`${name(complex)} can be compared to null alone`);
  return (left === right) === (operator === "==");
}

function toBoolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw new Error(`${name(value)} is neither true nor false`);
  return value;
}

function name(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
