// Later steps may name `steps.ID.outcome`, `steps.ID.outputs.NAME` and members of that output. Pure.
import { type FieldPath, readFurther } from "./field-path.ts";
import type { Scanner } from "./scanner.ts";

export interface StepValue {
  readonly step: string;
  /** Undefined: its outcome is meant. */
  readonly output: { readonly name: string; readonly path: FieldPath } | undefined;
  /** As it was written. */
  readonly text: string;
}

/** Throws a SyntaxProblem for what doesn't go on as it begins, and for a step that isn't an earlier one. */
export function readStepValue(scanner: Scanner, earlier: ReadonlySet<string>): StepValue {
  const begin = scanner.at;
  if (!scanner.take("steps.")) scanner.fail("here steps.ID is missing");
  const at = scanner.at;
  const step = scanner.match(stepName) ?? scanner.fail("here the id of a step is missing");
  if (!earlier.has(step)) scanner.fail(`there is no step ${step} before this one`, at);
  const output = readWhat(scanner);
  return { step, output, text: scanner.text.slice(begin, scanner.at) };
}

function readWhat(scanner: Scanner): StepValue["output"] {
  if (scanner.match(/\.outcome\b/y) !== undefined) return undefined;
  if (!scanner.take(".outputs.")) scanner.fail("here .outcome or .outputs.NAME is missing");
  const name = scanner.match(outputName) ?? scanner.fail("here the name of an output is missing");
  return { name, path: readFurther(scanner) };
}

const stepName = /[a-z][-a-z0-9]*/y;
const outputName = /[A-Za-z_][\w-]*/y;
