// Waits until all of some runs have ended, and says how.
import type { CommandDetail, HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { concludeDryRun } from "../../foresight/index.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";
import { toPlanned } from "./planned-run.ts";
import { describeOutcome } from "./run-text.ts";
import { createRunTeller } from "./tell-of-run.ts";
import { tellWhyWaiting } from "./tell-why-waiting.ts";

/** Throws CLI_RUN_UNSUCCESSFUL unless all went well. Dry runs say what would change, and whether by the exit code, too. */
export async function finishRuns(
  context: CommandContext,
  hub: HubClient,
  runs: readonly Run[],
  { isShown, isDryRun = false }: { readonly isShown: boolean; readonly isDryRun?: boolean },
): Promise<void> {
  const { output, signal } = context;
  tellOfWaiting(context, runs);
  const width = Math.max(...runs.map(({ cluster }) => cluster.length));
  const live = await context.live();
  const ended = await Promise.all(runs.map(finish));
  const planned = isDryRun ? await Promise.all(ended.map((run) => toPlanned(output, run))) : undefined;
  output.answer({ items: planned?.map(({ run, differs }) => ({ ...run, differs })) ?? ended }, () => {
    const outcomes = isShown ? [] : ended.map((run) => describeOutcome(context, run));
    return [...outcomes, ...(planned?.map(({ text }) => text) ?? [])].join("");
  });
  const failed = ended.filter(({ state }) => state !== "succeeded");
  if (failed.length > 0) throw cliErrors.CLI_RUN_UNSUCCESSFUL({ failed: failed.length, all: ended.length });
  if (planned)
    concludeDryRun(
      context,
      planned.some(({ differs }) => differs),
    );

  async function finish(asked: Run): Promise<CommandDetail> {
    const { id, cluster } = asked;
    using why = tellWhyWaiting(context, { hub, run: asked });
    why.look();
    const isPrinted = isShown && !output.isDocument;
    const prefix = runs.length === 1 ? "" : `${output.colors.dim(`${cluster.padEnd(width)} |`)} `;
    const printer = createLogPrinter({ prefix, print: (text) => void output.print(text) });
    const telling = { onRun: createRunTeller(context, why.look), remark: (text: string) => output.remark(text) };
    for await (const bytes of followRun({ hub, live, wantsLog: isShown, id, signal, ...telling })) {
      if (isPrinted) printer.write(bytes);
    }
    printer.end();
    const run = await hub.getCommand(id, { signal });
    if (isPrinted) output.print(describeOutcome(context, run));
    return run;
  }
}

/** Which runs are waited for, and what is left of them by whoever waits no longer. */
function tellOfWaiting({ output }: Pick<CommandContext, "output">, runs: readonly Run[]): void {
  for (const { id, cluster, state } of runs)
    output.remark(`${output.safe(cluster)}: run ${output.safe(id)} is ${state}`);
  const [first] = runs;
  const one = runs.length === 1 && first ? output.safe(first.id) : undefined;
  const whose = one === undefined ? "the runs continue" : "the run continues";
  const look = one === undefined ? "fairlead run list" : `fairlead run get ${one}`;
  output.remark(
    `Ctrl-C stops only the waiting, and ${whose}: see '${look}', or end ${one === undefined ? "one" : "it"} by 'fairlead run cancel ${one ?? "RUN"}'.`,
  );
}
