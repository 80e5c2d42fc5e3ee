import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatState } from "./run-text.ts";

export function addRunCancel(run: Command, open: OpenContext): void {
  run
    .command("cancel")
    .description("Cancel a run gracefully; cancel it again to stop it at once")
    .examples("fairlead run cancel cmd_3h7k…")
    .argument("<run>", "ID of the run, for example cmd_3h7k…")
    .action((id: string, _options: object, command: Command) => cancelRun(open(command), id));
}

async function cancelRun(context: CommandContext, id: string): Promise<void> {
  const { output, signal } = context;
  const run = await (await context.hub()).cancelCommand(id, { signal });
  output.answer(run, () => `${output.safe(run.id)} is ${formatState(run)}.\n`);
}
