import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { confirm } from "./confirm.ts";
import { countLeaving, describeLeaving } from "./leaving-applications.ts";
import { requireUnprotected } from "./require-unprotected.ts";

interface RevokeOptions {
  readonly reason?: string;
  readonly letApplicationsGo?: boolean;
  readonly yes?: boolean;
}

export function addClusterRevoke(cluster: Command, open: OpenContext): void {
  cluster
    .command("revoke")
    .description("Disconnect a cluster at once; its agents need a new join token to connect again")
    .examples('fairlead cluster revoke east --reason "key lost"')
    .argument("<name>", "Name of the cluster")
    .option("--reason <text>", "Reason, kept with the cluster's events")
    .option(
      "--let-applications-go",
      "Delete the cluster's Argo CD applications on the hub alone while it is revoked; what they deployed stays in the cluster",
    )
    .option("-y, --yes", "Don't ask for confirmation with --let-applications-go")
    .action((name: string, options: RevokeOptions, command: Command) => revokeCluster(open(command), name, options));
}

async function revokeCluster(context: CommandContext, name: string, options: RevokeOptions): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  const leaving = await countLeaving(context, name);
  if (leaving && options.letApplicationsGo) {
    await requireUnprotected(context, name);
    await confirm(context.terminal, {
      isYes: options.yes,
      action: `let go of the applications of cluster '${name}'`,
      question: `${describeLeaving(leaving)} While it is revoked they are deleted on the hub alone. Revoke cluster '${name}'?`,
    });
    await client.letApplicationsGo(name, { signal });
  }
  const cluster = await client.revokeCluster(name, { reason: options.reason }, { signal });

  output.answer(cluster, () => `Cluster '${output.safe(cluster.name)}' is revoked.\n`);
  output.remark(`To let it back in: 'fairlead cluster token create ${name}'.`);
  if (leaving && options.letApplicationsGo)
    output.remark(`${leaving.applications} applications on the hub were let go.`);
  else if (leaving)
    output.remark(
      `${describeLeaving(leaving)} Their deletion waits for the cluster, unless you add '--let-applications-go'.`,
    );
}
