import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addRunArgument, findRunId, type LastOptions } from "./find-id.ts";
import { formatState } from "./run-text.ts";

export function addRunCancel(run: Command, open: OpenContext): void {
  addRunArgument(
    run
      .command("cancel")
      .description("Cancel a run gracefully; cancel it again to stop it at once")
      .examples("fairlead run cancel cmd_3h7k…"),
  ).action((typed: string | undefined, options: LastOptions, command: Command) =>
    cancelRun(open(command), typed, options),
  );
}

async function cancelRun(context: CommandContext, typed: string | undefined, options: LastOptions): Promise<void> {
  const { output, signal } = context;
  const id = await findRunId(context, typed, options);
  const run = await (await context.hub()).cancelCommand(id, { signal });
  output.answer(run, () => `${output.safe(run.id)} is ${formatState(run)}.\n`);
}
