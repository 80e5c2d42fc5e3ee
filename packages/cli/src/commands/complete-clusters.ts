import { isDnsLabel } from "@fairlead/kernel";
import type { Command } from "../command.ts";
import { clustersCommandName } from "../completion/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";

/** Hidden: shells call it at each completion of a cluster's name. */
export function addCompleteClusters(program: Command, open: OpenContext): void {
  program
    .command(clustersCommandName, { hidden: true })
    .action((_options: object, command: Command) => printClusters(open(command)));
}

async function printClusters({ hub, signal, output }: CommandContext): Promise<void> {
  // Half a second is what a person waits for a completion.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(500)]);
  const { items } = await (await hub()).listClusters({ signal: soon });
  // Shells expand the words that they complete with: a hub's answer must not hold commands.
  output.print(items.map(({ name }) => (isDnsLabel(name) ? `${name}\n` : "")).join(""));
}
