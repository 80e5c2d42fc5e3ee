import type { StackDetail } from "@fairlead/contract";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";

export function addStackShow(stack: Command, open: OpenContext): void {
  stack
    .command("show")
    .description("show a stack: what was asked for last of each resource, and what came of it")
    .argument("<name>", "the stack")
    .action((name: string, _options: object, command: Command) => showStack(open(command), name));
}

async function showStack(context: CommandContext, name: string): Promise<void> {
  const stack = await (await context.hub()).getStack(name, { signal: context.signal });
  context.output.answer(stack, () => describeStack(context, stack));
}

function describeStack({ output, terminal }: CommandContext, { name, owner, run, resources }: StackDetail): string {
  const facts = [
    ["Stack:", output.safe(name)],
    ["Owner:", output.safe(owner)],
    ["Last run:", run ? `${run.action} ${run.state} (${output.safe(run.id)}, by ${output.safe(run.requester)})` : "-"],
  ];
  const rows = resources.map(({ name: resource, cluster, target, action, outcome, askedAt, dependsOn }) => [
    ...[output.safe(resource), output.safe(cluster), output.safe(target), `${action} ${outcome}`],
    ...[formatSpan(terminal.now() - Date.parse(askedAt)), output.safe(dependsOn.join(","))],
  ]);
  if (rows.length === 0) return `${output.table(undefined, facts)}\nThere is nothing of it.\n`;
  return `${output.table(undefined, facts)}\n${output.table(["RESOURCE", "CLUSTER", "TARGET", "LAST", "AGE", "AFTER"], rows)}`;
}
