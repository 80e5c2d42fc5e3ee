// Reads an `if`. Pure and bounded; all that can be known to be wrong is said here, with where it stands.
import { readQuoted, Scanner } from "../values/scanner.ts";
import { readStepValue } from "../values/step-value.ts";
import { checkComparison, requireBoolean } from "./check.ts";
import type { Comparison, Expression, Scalar, Status } from "./types.ts";

/** Throws a SyntaxProblem. */
export function parseExpression(text: string, earlier: ReadonlySet<string>): Expression {
  const scanner: Scanner = new Scanner(text);
  if (text.length > maxLength) scanner.fail(`it is longer than ${maxLength} characters`, maxLength);
  let depth = 0;
  const whole = readOr();
  scanner.skipBlanks();
  if (!scanner.isAtEnd) scanner.fail("this can't stand here");
  return requireBoolean(scanner, whole, 0);

  function readOr(): Expression {
    return readChain("||", "or", readAnd);
  }

  function readAnd(): Expression {
    return readChain("&&", "and", readEquality);
  }

  function readChain(sign: string, is: "and" | "or", read: () => Expression): Expression {
    scanner.skipBlanks();
    let begin = scanner.at;
    let left = read();
    while (takeSign(sign)) {
      requireBoolean(scanner, left, begin);
      scanner.skipBlanks();
      begin = scanner.at;
      left = { is, left, right: requireBoolean(scanner, read(), begin) };
      begin = 0;
    }
    return left;
  }

  function readEquality(): Expression {
    return readComparison(["==", "!="], readOrder);
  }

  function readOrder(): Expression {
    return readComparison(["<", ">"], readUnary);
  }

  /** Reads one comparison and no chain: `a < b < c` doesn't mean what people expect. */
  function readComparison(operators: readonly Comparison[], read: () => Expression): Expression {
    const left = read();
    scanner.skipBlanks();
    const at = scanner.at;
    const operator = operators.find(takeSign);
    if (operator === undefined) return left;
    const compared: Expression = { is: "compare", operator, left, right: read() };
    checkComparison(scanner, compared, at);
    return compared;
  }

  function readUnary(): Expression {
    scanner.skipBlanks();
    if (++depth > maxDepth) scanner.fail(`it is nested more than ${maxDepth} deep`);
    const read = readOperand();
    depth--;
    return read;
  }

  function readOperand(): Expression {
    const at = scanner.at;
    if (scanner.take("!")) {
      const begin = scanner.at;
      return { is: "not", operand: requireBoolean(scanner, readUnary(), begin) };
    }
    if (scanner.take("(")) {
      const inner = readOr();
      if (!takeSign(")")) scanner.fail("here ) is missing");
      return inner;
    }
    const text = readQuoted(scanner);
    if (text !== undefined) return { is: "literal", value: text };
    const number = scanner.match(/-?\d+(?:\.\d+)?(?![\w.])/y);
    if (number !== undefined) return { is: "literal", value: Number(number) };
    if (scanner.text.startsWith("steps.", at)) return { is: "step", value: readStepValue(scanner, earlier) };
    return readWord(at);
  }

  function readWord(at: number): Expression {
    const word = scanner.match(/[A-Za-z_][\w-]*/y);
    if (word === undefined) scanner.fail("here a value is missing");
    const literal = literals.get(word);
    if (literal !== undefined) return { is: "literal", value: literal };
    const status = statuses.find((each) => each === word);
    if (status === undefined) scanner.fail(`${word} is nothing that an if knows; texts stand in quotes`, at);
    if (!takeSign("(") || !takeSign(")")) scanner.fail(`${word} is written ${word}()`, at);
    return { is: "status", status };
  }

  function takeSign(sign: string): boolean {
    scanner.skipBlanks();
    return scanner.take(sign);
  }
}

const literals: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const statuses: readonly Status[] = ["success", "failure", "cancelled", "always"];
const maxLength = 1_000;
const maxDepth = 32;
