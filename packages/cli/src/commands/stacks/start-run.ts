import { randomUUID } from "node:crypto";
import { type CreateStackRunRequest, stackLimits } from "@fairlead/contract/client";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { finishRun } from "./finish-run.ts";

export interface RunOptions {
  readonly maxParallel?: number;
  readonly key?: string;
  readonly wait: boolean;
  readonly follow?: boolean;
  readonly dryRun?: boolean;
}

export function addRunOptions(command: Command): Command {
  return command
    .formerOption("--parallel <number>", "--max-parallel")
    .option("--max-parallel <number>", "Maximum number of commands in progress at once", parseParallel)
    .option("--key <key>", "Idempotency key: repeating a request with the same key runs it once")
    .option("--no-wait", "Return without waiting for the end")
    .option("--follow", "Print the logs of the stack's commands while waiting");
}

export async function startRun(
  context: CommandContext,
  stack: string,
  asked: Pick<CreateStackRunRequest, "action" | "resources">,
  { maxParallel, key, wait, follow = false, dryRun: isDryRun = false }: RunOptions,
): Promise<void> {
  const { output, signal } = context;
  if (isDryRun && !wait)
    throw usage(
      "A dry run can't be combined with --no-wait.",
      "Remove --no-wait: the command waits to show what would change.",
    );
  if (follow && !wait) throw usage("--follow and --no-wait can't be combined.", "Remove one of them.");
  const hub = await context.hub();
  // A request that is sent again because its answer was lost must not make a second run.
  const request = { ...asked, maxParallel, idempotencyKey: key ?? randomUUID() };
  const run = await hub.createStackRun(stack, request, { signal });
  if (wait) return finishRun(context, hub, run, { isFollowed: follow, isDryRun });
  output.answer(run, () => `${output.safe(run.id)} is ${run.state}.\n`);
}

function parseParallel(text: string): number {
  const parallel = Number(text);
  if (Number.isInteger(parallel) && parallel >= 1 && parallel <= stackLimits.steps) return parallel;
  throw usage(`'${text}' isn't a number of commands.`, `Use a number from 1 to ${stackLimits.steps}.`);
}
