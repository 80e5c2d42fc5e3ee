import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";

interface RevokeOptions {
  readonly reason?: string;
}

export function addClusterRevoke(cluster: Command, open: OpenContext): void {
  cluster
    .command("revoke")
    .description("Disconnect a cluster at once; its agents need a new join token to connect again")
    .examples('fairlead cluster revoke east --reason "key lost"')
    .argument("<name>", "Name of the cluster")
    .option("--reason <text>", "Reason, kept with the cluster's events")
    .action((name: string, options: RevokeOptions, command: Command) => revokeCluster(open(command), name, options));
}

async function revokeCluster(context: CommandContext, name: string, options: RevokeOptions): Promise<void> {
  const { hub, output, signal } = context;
  const cluster = await (await hub()).revokeCluster(name, { reason: options.reason }, { signal });

  output.answer(cluster, () => `Cluster '${output.safe(cluster.name)}' is revoked.\n`);
  output.remark(`To let it back in: 'fairlead cluster token create ${name}'.`);
}
