import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { confirm } from "./confirm.ts";

interface RemoveOptions {
  readonly yes?: boolean;
}

export function addClusterRemove(cluster: Command, open: OpenContext): void {
  cluster
    .command("delete")
    .formerly("cluster remove")
    .description("Delete a cluster from the hub and disconnect its agents; the cluster itself isn't changed")
    .examples("fairlead cluster delete east")
    .argument("<name>", "Name of the cluster")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, options: RemoveOptions, command: Command) => removeCluster(open(command), name, options));
}

async function removeCluster(context: CommandContext, name: string, options: RemoveOptions): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  await confirm(context.terminal, {
    isYes: options.yes,
    action: `remove cluster '${name}'`,
    question: `Remove cluster '${name}' and cut its agents off?`,
  });
  await client.removeCluster(name, { signal });

  output.answer({ name, removed: true }, () => `Cluster '${name}' is removed.\n`);
}
