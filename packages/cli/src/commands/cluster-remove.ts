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
    .description("forget a cluster and cut its agents off")
    .argument("<name>", "the cluster")
    .option("-y, --yes", "don't ask")
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
