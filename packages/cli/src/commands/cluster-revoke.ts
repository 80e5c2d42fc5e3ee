import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";

interface RevokeOptions {
  readonly reason?: string;
}

export function addClusterRevoke(cluster: Command, open: OpenContext): void {
  cluster
    .command("revoke")
    .description("cut a cluster off at once; it needs a new join token to come back")
    .argument("<name>", "the cluster")
    .option("--reason <text>", "why, kept with the cluster's events")
    .action((name: string, options: RevokeOptions, command: Command) => revokeCluster(open(command), name, options));
}

async function revokeCluster(context: CommandContext, name: string, options: RevokeOptions): Promise<void> {
  const { hub, output, signal } = context;
  const cluster = await (await hub()).revokeCluster(name, { reason: options.reason }, { signal });

  output.answer(cluster, () => `Cluster '${output.safe(cluster.name)}' is revoked.\n`);
  output.remark(`To let it back in: 'fairlead cluster token create ${name}'.`);
}
