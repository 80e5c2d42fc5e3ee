import type { StackRun, StackStep } from "@fairlead/contract";
import { stringify } from "yaml";
import type { Output } from "../../output/index.ts";
import type { PlannedStep } from "./read-plan.ts";

/** A line or more on how a resource comes along. */
export function describeStep(output: Output, step: StackStep): string {
  const { name, cluster, action, state, command, trouble } = step;
  const colour =
    { succeeded: output.colors.green, failed: output.colors.red }[state as string] ?? ((text: string) => text);
  const by = command === undefined ? "" : ` (${output.safe(command)})`;
  const lines = [`${action} ${output.safe(name)} in ${output.safe(cluster)}: ${colour(state)}${by}`];
  if (trouble) lines.push(`  ${output.safe(trouble.message)} (${output.safe(trouble.code)})`);
  if (trouble?.hint) lines.push(`  ${output.safe(trouble.hint)}`);
  return `${lines.join("\n")}\n`;
}

export function describeEnd(output: Output, { id, stack, action, state, counts }: StackRun): string {
  const colour = state === "succeeded" ? output.colors.green : output.colors.red;
  const { all, succeeded } = counts;
  return `${action} of ${output.safe(stack)} ${colour(state)}: ${succeeded} of ${all} (${output.safe(id)})\n`;
}

/** Shows the clusters' answers to a plan: each line is made safe for a terminal. */
export function describeResults(output: Output, { steps }: { readonly steps: readonly PlannedStep[] }): string {
  return steps
    .flatMap(({ name, cluster, action, result }) => {
      if (result === undefined) return [];
      const lines = stringify(result, { lineWidth: 0 }).trimEnd().split("\n");
      const shown = lines.map((line) => `  ${line === "" ? "" : output.safe(line)}\n`).join("");
      return [`\n${action} ${output.safe(name)} in ${output.safe(cluster)} would:\n${shown}`];
    })
    .concat(steps.some(({ result }) => result !== undefined) ? ["\n"] : [])
    .join("");
}
