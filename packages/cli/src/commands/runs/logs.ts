import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";

interface LogsOptions {
  readonly follow?: boolean;
}

export function addRunLogs(run: Command, open: OpenContext): void {
  run
    .command("logs")
    .description("Print the log of a run")
    .examples("fairlead run logs cmd_3h7k… --follow")
    .argument("<run>", "ID of the run, for example cmd_3h7k…")
    .option("-f, --follow", "Print the log as it grows, until the run ends")
    .action((id: string, options: LogsOptions, command: Command) => printLog(open(command), id, options));
}

async function printLog(context: CommandContext, id: string, { follow = false }: LogsOptions): Promise<void> {
  const { output, terminal, signal } = context;
  const hub = await context.hub();
  const bytes = follow
    ? followRun({ hub, live: await context.live(), wantsLog: true, id, signal, remark: (text) => output.remark(text) })
    : hub.readCommandLog(id, {}, { signal });
  // A terminal could be told things by what is in a log. A file gets it as it is.
  const printer = createLogPrinter({ prefix: "", print: (text) => void terminal.stdout.write(text) });
  for await (const chunk of bytes) {
    if (terminal.stdout.isTTY) printer.write(chunk);
    else terminal.stdout.write(chunk);
  }
  printer.end();
}
