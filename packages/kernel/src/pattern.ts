// Regular expressions that people hand in: JavaScript's, as JSON Schema has them, without what makes them more than
// regular (references to groups, looking ahead or behind). RE2 matches them in a time that grows with the text alone.
import { RE2JS } from "re2js";

export interface Pattern {
  /** True when it is found anywhere in the text. */
  matches(text: string): boolean;
  /** Returns its named groups where it matches; undefined where it doesn't. */
  groups(text: string): Readonly<Record<string, string | undefined>> | undefined;
  readonly groupNames: readonly string[];
}

/** Why a text isn't a pattern, in words that follow its name: "is longer than 200 characters". */
export class PatternProblem extends Error {}

/** Throws a PatternProblem. */
export function readPattern(source: string, { mostLength }: { readonly mostLength: number }): Pattern {
  if (source.length > mostLength) throw new PatternProblem(`is longer than ${mostLength} characters`);
  requireJavaScript(source);
  const compiled = compile(toRe2(source));
  if (compiled.programSize() > mostInstructions) throw new PatternProblem("is too large: it repeats too much");
  return {
    groupNames: Object.keys(compiled.namedGroups()),
    matches: (text) => compiled.test(text),
    groups: (text) => {
      const found = compiled.exec(text) as { readonly groups?: Record<string, string | undefined> } | null;
      return found === null ? undefined : (found.groups ?? {});
    },
  };
}

/** RE2 has some syntax of its own, which other readers of the same pattern would understand otherwise. */
function requireJavaScript(source: string): void {
  try {
    new RegExp(source, "u");
  } catch (error) {
    const [, why = "it can't be read"] = /\/u?: (.*)$/s.exec((error as Error).message) ?? [];
    throw new PatternProblem(`isn't a regular expression: ${why}`);
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const why = (error as Error).message.replace(/^error parsing regexp: /, "");
    throw new PatternProblem(`has a part that isn't supported: ${why}`);
  }
}

/** Writes out what RE2 understands otherwise: which characters are spaces and ends of lines, and `[` within a set. */
function toRe2(source: string): string {
  let isInSet = false;
  return source.replace(token, (found) => {
    if (found.startsWith("\\u")) return toPoint(Number.parseInt(found.replace(/[^0-9a-f]/gi, ""), 16));
    if (isInSet) {
      if (found === "]" || /^\[.*\]$/.test(found)) isInSet = false;
      if (found.startsWith("[")) return `\\${found}`;
      if (found === "\\S") throw new PatternProblem("has \\S within [ ]");
      return found === "\\s" ? spaces : found;
    }
    if (found === "[]") return "[^\\x{0}-\\x{10FFFF}]";
    if (found === "[^]") return "[\\x{0}-\\x{10FFFF}]";
    if (found.startsWith("[")) isInSet = true;
    if (found === ".") return "[^\\n\\r\\x{2028}\\x{2029}]";
    if (found === "\\s") return `[${spaces}]`;
    return found === "\\S" ? `[^${spaces}]` : found;
  });
}

function toPoint(point: number): string {
  // JavaScript takes two of them for one character, and RE2 doesn't.
  if (point >= 0xd800 && point <= 0xdfff) throw new PatternProblem("has half of a character; write \\u{…}");
  return `\\x{${point.toString(16)}}`;
}

const token = /\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\.|\[\^?\]|\[\^?|[\].]/gis;
const spaces =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
/** As many steps for each character of a text, at most. */
const mostInstructions = 1_000;
