// Patterns become programs whose threads all go forward together, one character at a time (Thompson's way): the time that
// one takes is bounded by its length times that of the text, whatever it says.
import { type CharacterSet, type PatternNode, PatternProblem } from "./types.ts";

export type Instruction =
  | { readonly is: "one"; readonly set: CharacterSet }
  | { readonly is: "begin" }
  | { readonly is: "end" }
  /** Goes on at both. */
  | { readonly is: "split"; readonly to: readonly number[] }
  | { readonly is: "match" };

/** Throws a PatternProblem for one that is too large when its repetitions are written out. */
export function toProgram(pattern: PatternNode): readonly Instruction[] {
  const program: Instruction[] = [];
  let visited = 0;
  write(pattern);
  program.push({ is: "match" });
  return program;

  function write(node: PatternNode): void {
    // Nodes count, too: repetitions of an empty pattern make no instructions.
    visited++;
    if (visited > mostInstructions || program.length > mostInstructions)
      throw new PatternProblem("is too large with its repetitions written out");
    switch (node.is) {
      case "one":
      case "begin":
      case "end":
        program.push(node);
        return;
      case "sequence":
        for (const part of node.parts) write(part);
        return;
      case "choice":
        writeChoice(node.choices);
        return;
      case "repeat":
        writeRepeat(node);
        return;
    }
  }

  function writeChoice(choices: readonly PatternNode[]): void {
    const fork = reserve();
    const ends: number[] = [];
    const begins = choices.map((choice) => {
      const begin = program.length;
      write(choice);
      ends.push(reserve());
      return begin;
    });
    program[fork] = { is: "split", to: begins };
    for (const end of ends) program[end] = { is: "split", to: [program.length] };
  }

  function writeRepeat({ part, least, most }: PatternNode & { readonly is: "repeat" }): void {
    for (let count = 0; count < least; count++) write(part);
    if (most === undefined) {
      const fork = reserve();
      write(part);
      program.push({ is: "split", to: [fork] });
      program[fork] = { is: "split", to: [fork + 1, program.length] };
      return;
    }
    const forks: number[] = [];
    for (let count = least; count < most; count++) {
      forks.push(reserve());
      write(part);
    }
    for (const fork of forks) program[fork] = { is: "split", to: [fork + 1, program.length] };
  }

  /** Makes a place for an instruction that is known later. */
  function reserve(): number {
    return program.push({ is: "split", to: [] }) - 1;
  }
}

const mostInstructions = 300;
