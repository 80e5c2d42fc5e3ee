import { randomUUID } from "node:crypto";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { finishRuns } from "./finish-runs.ts";

interface RetryOptions {
  readonly wait?: boolean;
  readonly follow?: boolean;
}

export function addRunRetry(run: Command, open: OpenContext): void {
  run
    .command("retry")
    .description("Run the same again after a run that didn't succeed")
    .examples("fairlead run retry cmd_3h7k… --wait")
    .argument("<run>", "ID of the run, for example cmd_3h7k…")
    .formerOption("-w", "--wait")
    .option("--wait", "Wait for the end, and exit with 10 if a run didn't succeed")
    .option("--follow", "Wait for the end, and print the log meanwhile")
    .action((id: string, options: RetryOptions, command: Command) => retryRun(open(command), id, options));
}

async function retryRun(context: CommandContext, id: string, { wait, follow = false }: RetryOptions): Promise<void> {
  const { output, signal } = context;
  const hub = await context.hub();
  // A request that is sent again because its answer was lost must not make a second command.
  const run = await hub.retryCommand(id, { idempotencyKey: randomUUID() }, { signal });
  if (wait || follow) return finishRuns(context, hub, [run], { isShown: follow });
  output.answer(run, () => `${output.safe(run.id)} repeats ${output.safe(id)}.\n`);
}
