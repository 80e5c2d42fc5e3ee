import type { CommandDetail, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";

export const runHeading: readonly string[] = ["RUN", "CLUSTER", "KIND", "TARGET", "STATE", "AGE", "TOOK", "BY"];

export function toRow({ output, terminal }: Pick<CommandContext, "output" | "terminal">, run: Run): string[] {
  const { id, cluster, kind, target, createdAt, finishedAt, requester } = run;
  const since = (at: string): string => formatSpan(terminal.now() - Date.parse(at));
  const took = finishedAt === undefined ? "-" : formatSpan(Date.parse(finishedAt) - Date.parse(createdAt));
  return [
    ...[output.safe(id), output.safe(cluster), kind, output.safe(target)],
    ...[formatState(run), since(createdAt), took, output.safe(requester)],
  ];
}

export function formatState({ state, cancellation, dryRun }: Run): string {
  const wished = cancellation === undefined ? "" : ", to be cancelled";
  return `${state}${wished}${dryRun ? " (dry run)" : ""}`;
}

/** A line or two on how it ended. */
export function describeOutcome({ output }: Pick<CommandContext, "output">, run: CommandDetail): string {
  const { id, cluster, state, trouble } = run;
  const colour = state === "succeeded" ? output.colors.green : output.colors.red;
  const lines = [`${output.safe(cluster)}: ${colour(formatState(run))} (${output.safe(id)})`];
  if (trouble) lines.push(`  ${output.safe(trouble.message)} (${output.safe(trouble.code)})`);
  if (trouble?.hint) lines.push(`  ${output.safe(trouble.hint)}`);
  return `${lines.join("\n")}\n`;
}
