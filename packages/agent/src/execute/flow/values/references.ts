// References to earlier steps in the texts of a step's spec: `${steps.ID.outputs.NAME}`. Pure.
import { Scanner } from "./scanner.ts";
import { readStepValue, type StepValue } from "./step-value.ts";

/** Literal text and references in turn; `$${steps.` is the text `${steps.`. Throws a SyntaxProblem. */
export function readReferences(text: string, earlier: ReadonlySet<string>): readonly (string | StepValue)[] {
  const parts: (string | StepValue)[] = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf(referenceBegin, from);
    if (begin < 0) break;
    if (begin > from && text[begin - 1] === "$") {
      parts.push(text.slice(from, begin - 1) + referenceBegin);
      from = begin + referenceBegin.length;
      continue;
    }
    parts.push(text.slice(from, begin));
    const scanner = new Scanner(text, begin + 2);
    parts.push(readStepValue(scanner, earlier));
    if (!scanner.take("}")) scanner.fail("here } is missing");
    from = scanner.at;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== "");
}

export const referenceBegin = "${steps.";
