// Waits until all of some runs have ended, and says how.
import type { CommandDetail, HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";
import { describeOutcome } from "./run-text.ts";
import { createRunTeller } from "./tell-of-run.ts";
import { tellWhyWaiting } from "./tell-why-waiting.ts";

/** Throws CLI_RUN_UNSUCCESSFUL unless all went well. */
export async function finishRuns(
  context: CommandContext,
  hub: HubClient,
  runs: readonly Run[],
  { isShown }: { readonly isShown: boolean },
): Promise<void> {
  const { output, signal } = context;
  tellOfWaiting(context, runs);
  const width = Math.max(...runs.map(({ cluster }) => cluster.length));
  const live = await context.live();
  const ended = await Promise.all(runs.map(finish));
  output.answer({ items: ended }, () => (isShown ? "" : ended.map((run) => describeOutcome(context, run)).join("")));
  const failed = ended.filter(({ state }) => state !== "succeeded");
  if (failed.length > 0) throw cliErrors.CLI_RUN_UNSUCCESSFUL({ failed: failed.length, all: ended.length });

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
