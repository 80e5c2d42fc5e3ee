// Waits until all of some runs have ended, and says how.
import type { CommandDetail, HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";
import { describeOutcome } from "./run-text.ts";
import { createRunTeller } from "./tell-of-run.ts";

/** Throws CLI_RUN_UNSUCCESSFUL unless all went well. */
export async function finishRuns(
  context: CommandContext,
  hub: HubClient,
  runs: readonly Run[],
  { isShown }: { readonly isShown: boolean },
): Promise<void> {
  const { output, signal } = context;
  const width = Math.max(...runs.map(({ cluster }) => cluster.length));
  const live = await context.live();
  const ended = await Promise.all(runs.map(finish));
  output.answer({ items: ended }, () => (isShown ? "" : ended.map((run) => describeOutcome(context, run)).join("")));
  const failed = ended.filter(({ state }) => state !== "succeeded");
  if (failed.length > 0) throw cliErrors.CLI_RUN_UNSUCCESSFUL({ failed: failed.length, all: ended.length });

  async function finish({ id, cluster }: Run): Promise<CommandDetail> {
    const isPrinted = isShown && !output.isJson;
    const prefix = runs.length === 1 ? "" : `${output.colors.dim(`${cluster.padEnd(width)} |`)} `;
    const printer = createLogPrinter({ prefix, print: (text) => void context.terminal.stdout.write(text) });
    const telling = { onRun: createRunTeller(context), remark: (text: string) => output.remark(text) };
    for await (const bytes of followRun({ hub, live, wantsLog: isShown, id, signal, ...telling })) {
      if (isPrinted) printer.write(bytes);
    }
    printer.end();
    const run = await hub.getCommand(id, { signal });
    if (isPrinted) context.terminal.stdout.write(describeOutcome(context, run));
    return run;
  }
}
