import type { StackDetail, StackStep } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { describeApprovers } from "../runs/index.ts";

export function addStackShow(stack: Command, open: OpenContext): void {
  stack
    .command("get")
    .prints("stack")
    .formerly("stack show")
    .description("Show a stack with the latest request and outcome of each resource")
    .examples("fairlead stack get shop")
    .argument("<name>", "Name of the stack")
    .action((name: string, _options: object, command: Command) => showStack(open(command), name));
}

async function showStack(context: CommandContext, name: string): Promise<void> {
  const { output, signal } = context;
  const hub = await context.hub();
  const stack = await hub.getStack(name, { signal });
  const { run } = stack;
  const isUnderWay = run !== undefined && run.finishedAt === undefined;
  const steps = isUnderWay ? (await hub.getStackRun(name, run.id, { signal })).steps : [];
  const awaiting = steps.filter(({ approval }) => approval !== undefined);
  output.answer({ ...stack, awaiting }, () => `${describeStack(context, stack)}${describeAwaiting(context, awaiting)}`);
}

/** Resources whose command waits for people. */
function describeAwaiting({ output }: CommandContext, steps: readonly StackStep[]): string {
  if (steps.length === 0) return "";
  const rows = steps.map(({ name, cluster, action, command, approval }) => [
    output.safe(name),
    output.safe(cluster),
    action,
    output.safe(command),
    describeApprovers({ output }, approval),
  ]);
  const table = output.table(["RESOURCE", "CLUSTER", "ACTION", "RUN", "WHY"], rows);
  return `\n${table}\nSee one by 'fairlead run get RUN', and answer by 'fairlead run approve RUN'.\n`;
}

function describeStack({ output, terminal }: CommandContext, { name, owner, run, resources }: StackDetail): string {
  const facts = [
    ["Stack:", output.safe(name)],
    ["Owner:", output.safe(owner)],
    ["Last run:", run ? `${run.action} ${run.state} (${output.safe(run.id)}, by ${output.safe(run.requester)})` : "-"],
  ];
  const rows = resources.map(({ name: resource, cluster, target, action, outcome, askedAt, dependsOn }) => [
    output.safe(resource),
    output.safe(cluster),
    output.safe(target),
    `${action} ${outcome}`,
    formatSpan(terminal.now() - Date.parse(askedAt)),
    output.safe(dependsOn.join(",")),
  ]);
  if (rows.length === 0) return `${output.table(undefined, facts)}\nThere is nothing of it.\n`;
  return `${output.table(undefined, facts)}\n${output.table(["RESOURCE", "CLUSTER", "TARGET", "LAST", "AGE", "AFTER"], rows)}`;
}
