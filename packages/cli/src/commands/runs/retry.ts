import { randomUUID } from "node:crypto";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addRunArgument, findRunId, type LastOptions } from "./find-id.ts";
import { finishRuns } from "./finish-runs.ts";

interface RetryOptions extends LastOptions {
  readonly wait?: boolean;
  readonly follow?: boolean;
}

export function addRunRetry(run: Command, open: OpenContext): void {
  addRunArgument(
    run
      .command("retry")
      .description("Run the same again after a run that didn't succeed")
      .examples("fairlead run retry cmd_3h7k… --wait"),
  )
    .formerOption("-w", "--wait")
    .option("--wait", "Wait for the end, and exit with 10 if a run didn't succeed")
    .option("--follow", "Wait for the end, and print the log meanwhile")
    .action((typed: string | undefined, options: RetryOptions, command: Command) =>
      retryRun(open(command), typed, options),
    );
}

async function retryRun(context: CommandContext, typed: string | undefined, options: RetryOptions): Promise<void> {
  const { output, signal } = context;
  const { wait, follow = false } = options;
  const id = await findRunId(context, typed, options);
  const hub = await context.hub();
  // A request that is sent again because its answer was lost must not make a second command.
  const run = await hub.retryCommand(id, { idempotencyKey: randomUUID() }, { signal });
  if (wait || follow) return finishRuns(context, hub, [run], { isShown: follow });
  output.answer(run, () => `${output.safe(run.id)} repeats ${output.safe(id)}.\n`);
}
