import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { findRunId } from "./find-id.ts";
import { formatState } from "./run-text.ts";

interface RejectOptions {
  readonly message?: string;
}

export function addRunReject(run: Command, open: OpenContext): void {
  run
    .command("reject")
    .description("Reject the plan of a run that waits for approval, which ends the run")
    .examples('fairlead run reject cmd_3h7k… --message "not during the sale"')
    .argument("<run>", "ID of the run or its beginning, for example cmd_3h7k…")
    .option("-m, --message <text>", "Reason, kept in the run's history")
    .action((id: string, options: RejectOptions, command: Command) => rejectRun(open(command), id, options));
}

async function rejectRun(context: CommandContext, typed: string, { message }: RejectOptions): Promise<void> {
  const { output, signal } = context;
  const id = await findRunId(context, typed);
  const run = await (await context.hub()).rejectCommand(id, { comment: message }, { signal });
  output.answer(run, () => `${output.safe(run.id)} is ${formatState(run)}.\n`);
}
