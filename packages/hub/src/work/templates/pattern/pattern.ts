import { templateLimits } from "@fairlead/contract";
import { type Instruction, toProgram } from "./compile.ts";
import { parsePattern } from "./parse.ts";
import { type CharacterSet, PatternProblem } from "./types.ts";

export interface Pattern {
  /** True when it is found anywhere in the text, as JSON Schema has it. */
  matches(text: string): boolean;
}

/** Throws a PatternProblem. */
export function readPattern(source: string): Pattern {
  const limit = templateLimits.patternLength;
  if (source.length > limit) throw new PatternProblem(`is longer than ${limit} characters`);
  const program = toProgram(parsePattern(source));
  return { matches: (text) => isFound(program, text) };
}

function isFound(program: readonly Instruction[], text: string): boolean {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let threads: number[] = [];
  for (let at = 0; at <= points.length; at++) {
    const here = { isBegin: at === 0, isEnd: at === points.length };
    // A match may begin at each place.
    const { consuming, isMatch } = follow(program, [...threads, 0], here);
    if (isMatch) return true;
    const point = points[at];
    if (point === undefined) return false;
    threads = consuming.flatMap((thread) => {
      const instruction = program[thread];
      return instruction?.is === "one" && isIn(instruction.set, point) ? [thread + 1] : [];
    });
  }
  return false;
}

/** Goes on until each thread waits for a character. None is looked at twice, so empty loops end. */
function follow(
  program: readonly Instruction[],
  from: number[],
  here: { readonly isBegin: boolean; readonly isEnd: boolean },
): { readonly consuming: readonly number[]; readonly isMatch: boolean } {
  const seen = new Uint8Array(program.length);
  const consuming: number[] = [];
  const left = from;
  for (let thread = left.pop(); thread !== undefined; thread = left.pop()) {
    const instruction = program[thread];
    if (!instruction || seen[thread]) continue;
    seen[thread] = 1;
    switch (instruction.is) {
      case "match":
        return { consuming, isMatch: true };
      case "one":
        consuming.push(thread);
        break;
      case "split":
        left.push(...instruction.to);
        break;
      case "begin":
        if (here.isBegin) left.push(thread + 1);
        break;
      case "end":
        if (here.isEnd) left.push(thread + 1);
        break;
    }
  }
  return { consuming, isMatch: false };
}

function isIn({ ranges, isNegated }: CharacterSet, point: number): boolean {
  return ranges.some(([first, last]) => first <= point && point <= last) !== isNegated;
}
