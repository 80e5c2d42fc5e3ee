// Checks the types of an expression before it is evaluated. Pure.
import type { Scanner } from "../values/scanner.ts";
import { type Expression, type ExpressionType, stepOutcomes } from "./types.ts";

export function requireBoolean(scanner: Scanner, expression: Expression, at: number): Expression {
  const type = typeOf(expression);
  if (type !== "boolean" && type !== "any") scanner.fail(`a ${type} is neither true nor false`, at);
  return expression;
}

export function checkComparison(
  scanner: Scanner,
  { operator, left, right }: Extract<Expression, { readonly is: "compare" }>,
  at: number,
): void {
  const types = [typeOf(left), typeOf(right)];
  if (operator === "<" || operator === ">") {
    const wrong = types.find((type) => type !== "number" && type !== "any");
    if (wrong !== undefined) scanner.fail(`${operator} compares numbers, and not a ${wrong}`, at);
    return;
  }
  const known = types.filter((type) => type !== "any" && type !== "null");
  if (known.length === 2 && known[0] !== known[1]) scanner.fail(`a ${known[0]} is never a ${known[1]}`, at);
  checkOutcome(scanner, left, right, at);
  checkOutcome(scanner, right, left, at);
}

/** A typing error in one of these four words would never be true. */
function checkOutcome(scanner: Scanner, outcome: Expression, other: Expression, at: number): void {
  if (outcome.is !== "step" || outcome.value.output !== undefined || other.is !== "literal") return;
  if (!stepOutcomes.some((each) => each === other.value))
    scanner.fail(`an outcome is one of ${stepOutcomes.join(", ")}`, at);
}

function typeOf(expression: Expression): ExpressionType {
  switch (expression.is) {
    case "literal":
      return expression.value === null ? "null" : (typeof expression.value as "string" | "number" | "boolean");
    case "step":
      return expression.value.output === undefined ? "string" : "any";
    case "status":
    case "not":
    case "and":
    case "or":
    case "compare":
      return "boolean";
  }
}
