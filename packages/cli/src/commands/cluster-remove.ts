import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { confirm } from "./confirm.ts";
import { countLeaving, describeLeaving } from "./leaving-applications.ts";
import { requireUnprotected } from "./require-unprotected.ts";

interface RemoveOptions {
  readonly yes?: boolean;
  readonly keepFinalizers?: boolean;
}

export function addClusterRemove(cluster: Command, open: OpenContext): void {
  cluster
    .command("delete")
    .formerly("cluster remove")
    .description("Delete a cluster from the hub and disconnect its agents; the cluster itself isn't changed")
    .examples("fairlead cluster delete east")
    .argument("<name>", "Name of the cluster")
    .option("-y, --yes", "Don't ask for confirmation")
    .option(
      "--keep-finalizers",
      "Keep Argo CD's finalizers on the cluster's applications on the hub; their deletion then waits for a cluster of this name",
    )
    .action((name: string, options: RemoveOptions, command: Command) => removeCluster(open(command), name, options));
}

async function removeCluster(context: CommandContext, name: string, options: RemoveOptions): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  const leaving = options.keepFinalizers ? undefined : await countLeaving(context, name);
  if (leaving) await requireUnprotected(context, name);
  await confirm(context.terminal, {
    isYes: options.yes,
    action: `remove cluster '${name}'`,
    question: `${leaving ? `${describeLeaving(leaving)} ${consequence} ` : ""}Remove cluster '${name}' and cut its agents off?`,
  });
  const letGo = leaving && (await client.letApplicationsGo(name, { signal }));
  await client.removeCluster(name, { signal });

  output.answer(
    { name, removed: true, ...(letGo && { applicationsLetGo: letGo.applications }) },
    () =>
      `Cluster '${name}' is removed.\n${letGo ? `${letGo.applications} applications on the hub were let go.\n` : ""}`,
  );
}

const consequence = "After the removal they are deleted on the hub alone, and what they deployed stays in the cluster.";
