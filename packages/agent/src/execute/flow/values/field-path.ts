// Where something is in a value: `status.conditions[0].type`, `metadata.annotations["example.com/x"]`. Pure.
import { readQuoted, Scanner } from "./scanner.ts";

export type FieldPath = readonly (string | number)[];

/** Throws a SyntaxProblem. */
export function parseFieldPath(text: string): FieldPath {
  const scanner: Scanner = new Scanner(text);
  const first = scanner.match(name) ?? scanner.fail("here a path begins with a name");
  const path = [first, ...readFurther(scanner)];
  if (!scanner.isAtEnd) scanner.fail('a path has .NAME, [NUMBER] and ["NAME"]');
  return path;
}

/** Reads the parts after a path's first, and stops at the first character that belongs to none. */
export function readFurther(scanner: Scanner): FieldPath {
  const path: (string | number)[] = [];
  for (;;) {
    if (path.length > maxDepth) scanner.fail(`a path has at most ${maxDepth} parts`);
    if (scanner.take(".")) path.push(scanner.match(name) ?? scanner.fail("here a name is missing"));
    else if (scanner.take("[")) path.push(readIndex(scanner));
    else return path;
  }
}

/** Undefined where there is nothing. Inherited members of an object don't count. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null) return undefined;
    if (Array.isArray(found) !== (typeof part === "number") || !Object.hasOwn(found, part)) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[part];
  }
  return found;
}

function readIndex(scanner: Scanner): string | number {
  const index = scanner.match(/\d{1,6}/y);
  const part = index === undefined ? readQuoted(scanner) : Number(index);
  if (part === undefined) scanner.fail("here a number or a name in quotes is missing");
  if (!scanner.take("]")) scanner.fail("here ] is missing");
  return part;
}

const name = /[A-Za-z_$][\w$-]*/y;
const maxDepth = 32;
