import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatState } from "./run-text.ts";

interface RejectOptions {
  readonly message?: string;
}

export function addRunReject(run: Command, open: OpenContext): void {
  run
    .command("reject")
    .description("reject the plan of a run that waits for approval, and so end it")
    .argument("<run>", "its id, such as cmd_…")
    .option("-m, --message <text>", "why, for the run's history")
    .action((id: string, options: RejectOptions, command: Command) => rejectRun(open(command), id, options));
}

async function rejectRun(context: CommandContext, id: string, { message }: RejectOptions): Promise<void> {
  const { output, signal } = context;
  const run = await (await context.hub()).rejectCommand(id, { comment: message }, { signal });
  output.answer(run, () => `${output.safe(run.id)} is ${formatState(run)}.\n`);
}
