// Comparisons of filters, as Go's templates make them: whole numbers, other numbers, texts and truth values, each among
// their like.
import { isRawNumber } from "../exact-json.ts";

/** Throws where Go ends in an error, if `isExact`; else such values are just different. */
export function compareValues(
  one: unknown,
  operator: string,
  other: unknown,
  { isExact }: { readonly isExact: boolean },
): boolean {
  const kinds = [kindOf(one), kindOf(other)];
  const isComparable = kinds[0] === kinds[1] && kinds[0] !== "none";
  const hasOrder = isComparable && kinds[0] !== "boolean";
  if (isExact && !(operator === "==" || operator === "!=" ? isComparable : hasOrder)) throw new Incomparable();
  const [a, b] = [toOrdered(one), toOrdered(other)] as [Ordered, Ordered];
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return isOrdered(a, b) && a < b;
    case "<=":
      return isOrdered(a, b) && a <= b;
    case ">":
      return isOrdered(a, b) && a > b;
    case ">=":
      return isOrdered(a, b) && a >= b;
    default:
      if (isExact) throw new Incomparable();
      return false;
  }
}

export class Incomparable extends Error {}

/** What operators are used on; which of them have an order is asked before. */
type Ordered = string | number | bigint;
type Kind = "whole" | "number" | "string" | "boolean" | "none";

function kindOf(value: unknown): Kind {
  if (typeof value === "number") return Number.isInteger(value) ? "whole" : "number";
  if (isRawNumber(value)) return /^-?\d+$/.test(value.rawJSON) ? "whole" : "number";
  return typeof value === "string" || typeof value === "boolean" ? (typeof value as Kind) : "none";
}

/** Whole numbers of more than 53 bits keep their order. */
function toOrdered(value: unknown): unknown {
  if (!isRawNumber(value)) return value;
  return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON);
}

/** Only numbers and texts have an order, and only among themselves. */
function isOrdered(one: unknown, other: unknown): boolean {
  return kindGroup(one) !== undefined && kindGroup(one) === kindGroup(other);
}

function kindGroup(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return "number";
  return typeof value === "string" ? "string" : undefined;
}
