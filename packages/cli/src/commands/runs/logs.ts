import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addRunArgument, findRunId, type LastOptions } from "./find-id.ts";
import { followRun, followTimed } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";

interface LogsOptions extends LastOptions {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
}

export function addRunLogs(run: Command, open: OpenContext): void {
  addRunArgument(
    run
      .command("logs")
      .description("Print the log of a run")
      .examples("fairlead run logs cmd_3h7k… --follow", "fairlead run logs --last"),
  )
    .option("-f, --follow", "Print the log as it grows, until the run ends")
    .option("--timestamps", "Begin each line with the time at which the hub received it")
    .action((typed: string | undefined, options: LogsOptions, command: Command) =>
      printLog(open(command), typed, options),
    );
}

async function printLog(context: CommandContext, typed: string | undefined, options: LogsOptions): Promise<void> {
  const { follow = false, timestamps = false } = options;
  const { output, signal } = context;
  const id = await findRunId(context, typed, options);
  const hub = await context.hub();
  // A terminal could be told things by what is in a log. A file gets it as it is.
  const printer = createLogPrinter({ prefix: "", print: (text) => void output.print(text) });
  const remark = (text: string): void => output.remark(text);
  const following = async () => ({ hub, live: await context.live(), wantsLog: true, id, signal, remark });
  if (follow && timestamps) {
    for await (const { bytes, at } of followTimed({ ...(await following()), wantsTimes: true }))
      printer.write(bytes, at);
    return printer.end();
  }
  const bytes = follow
    ? followRun(await following())
    : hub.readCommandLog(id, timestamps ? { timestamps } : {}, { signal });
  for await (const chunk of bytes) output.printBytes(chunk, () => printer.write(chunk));
  printer.end();
}
