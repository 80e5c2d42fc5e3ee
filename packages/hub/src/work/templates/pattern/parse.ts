// Reads regular expressions: those of JSON Schema without what makes them more than regular (groups that are referred to,
// looking ahead and behind) and without lazy quantifiers, which change nothing about whether a text matches.
import { type CharacterSet, type PatternNode, PatternProblem } from "./types.ts";

/** Throws a PatternProblem. */
export function parsePattern(source: string): PatternNode {
  const reader = new Reader(source);
  const node = readChoice(reader, 0);
  if (!reader.isAtEnd) throw new PatternProblem("has a ) too many");
  return node;
}

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = [...source];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead];
  }

  take(wanted: string): boolean {
    if (this.peek() !== wanted) return false;
    this.#at++;
    return true;
  }

  next(): string {
    const found = this.#characters[this.#at++];
    if (found === undefined) throw new PatternProblem("ends too early");
    return found;
  }
}

function readChoice(reader: Reader, depth: number): PatternNode {
  if (depth > mostDepth) throw new PatternProblem("has groups in each other too deeply");
  const choices = [readSequence(reader, depth)];
  while (reader.take("|")) choices.push(readSequence(reader, depth));
  const [only] = choices;
  return choices.length === 1 && only ? only : { is: "choice", choices };
}

function readSequence(reader: Reader, depth: number): PatternNode {
  const parts: PatternNode[] = [];
  for (let next = reader.peek(); next !== undefined && next !== "|" && next !== ")"; next = reader.peek())
    parts.push(readRepeated(reader, depth));
  return { is: "sequence", parts };
}

function readRepeated(reader: Reader, depth: number): PatternNode {
  const part = readPart(reader, depth);
  const times = readTimes(reader);
  if (!times) return part;
  if (part.is === "begin" || part.is === "end") throw new PatternProblem("repeats a ^ or $");
  if (reader.peek() === "?" || reader.peek() === "+" || reader.peek() === "*")
    throw new PatternProblem("has two quantifiers in a row");
  return { is: "repeat", part, ...times };
}

function readPart(reader: Reader, depth: number): PatternNode {
  const next = reader.next();
  switch (next) {
    case "^":
      return { is: "begin" };
    case "$":
      return { is: "end" };
    case ".":
      return { is: "one", set: { ranges: lineEnds, isNegated: true } };
    case "[":
      return { is: "one", set: readClass(reader) };
    case "(":
      return readGroup(reader, depth);
    case "\\":
      return { is: "one", set: readEscape(reader) };
    case "*":
    case "+":
    case "?":
    case "{":
    case "}":
    case "]":
      throw new PatternProblem(`has a ${next} where there is nothing for it; write \\${next} for the character`);
    default:
      return { is: "one", set: just(next) };
  }
}

function readGroup(reader: Reader, depth: number): PatternNode {
  if (reader.take("?") && !reader.take(":"))
    throw new PatternProblem("looks ahead or behind, or names a group; only ( and (?: are known");
  const node = readChoice(reader, depth + 1);
  if (!reader.take(")")) throw new PatternProblem("has a ( without its )");
  return node;
}

function readTimes(reader: Reader): { readonly least: number; readonly most: number | undefined } | undefined {
  if (reader.take("*")) return { least: 0, most: undefined };
  if (reader.take("+")) return { least: 1, most: undefined };
  if (reader.take("?")) return { least: 0, most: 1 };
  if (!reader.take("{")) return undefined;
  const least = readCount(reader);
  const isRange = reader.take(",");
  const most = isRange ? (reader.peek() === "}" ? undefined : readCount(reader)) : least;
  if (!reader.take("}")) throw new PatternProblem("has a { without its }");
  if (most !== undefined && most < least) throw new PatternProblem("repeats at most fewer times than at least");
  return { least, most };
}

function readCount(reader: Reader): number {
  let digits = "";
  while (/^[0-9]$/.test(reader.peek() ?? "")) digits += reader.next();
  if (digits === "" || digits.length > 4) throw new PatternProblem("has a { without a number up to 9999");
  return Number(digits);
}

function readClass(reader: Reader): CharacterSet {
  const isNegated = reader.take("^");
  const ranges: (readonly [number, number])[] = [];
  while (!reader.take("]")) {
    const from = readMember(reader);
    const isRange = reader.peek() === "-" && reader.peek(1) !== "]";
    if (!isRange) {
      ranges.push(...from.ranges);
      continue;
    }
    reader.next();
    ranges.push([onlyOf(from), onlyOf(readMember(reader))]);
    const [first, last] = ranges.at(-1) ?? [0, 0];
    if (last < first) throw new PatternProblem("has a range that ends before it begins");
  }
  return { ranges, isNegated };
}

function readMember(reader: Reader): CharacterSet {
  const next = reader.next();
  if (next !== "\\") return just(next);
  const set = readEscape(reader);
  if (set.isNegated) throw new PatternProblem("has \\D, \\W or \\S within [ ]");
  return set;
}

function onlyOf({ ranges: [range] }: CharacterSet): number {
  if (!range || range[0] !== range[1]) throw new PatternProblem("has a range from or to more than one character");
  return range[0];
}

function readEscape(reader: Reader): CharacterSet {
  const next = reader.next();
  const ranges = shorthands.get(next.toLowerCase());
  if (ranges) return { ranges, isNegated: next !== next.toLowerCase() };
  const control = controls.get(next);
  if (control !== undefined) return just(control);
  if (/^[0-9A-Za-z]$/.test(next)) throw new PatternProblem(`has \\${next}, which isn't known`);
  return just(next);
}

function just(character: string): CharacterSet {
  const point = character.codePointAt(0) ?? 0;
  return { ranges: [[point, point]], isNegated: false };
}

const shorthands: ReadonlyMap<string, CharacterSet["ranges"]> = new Map([
  ["d", [[0x30, 0x39]]],
  [
    "w",
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x5f, 0x5f],
      [0x61, 0x7a],
    ],
  ],
  [
    "s",
    [
      [0x09, 0x0d],
      [0x20, 0x20],
      [0xa0, 0xa0],
      [0x1680, 0x1680],
      [0x2000, 0x200a],
      [0x2028, 0x2029],
      [0x202f, 0x202f],
      [0x205f, 0x205f],
      [0x3000, 0x3000],
      [0xfeff, 0xfeff],
    ],
  ],
]);
const controls: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["f", "\f"],
  ["v", "\v"],
]);
const lineEnds: CharacterSet["ranges"] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const mostDepth = 20;
