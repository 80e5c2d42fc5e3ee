import type { Cluster, Role } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan } from "../output/index.ts";
import { formatLabels, paintCluster } from "./cluster-text.ts";
import { sayNoClusters } from "./no-clusters.ts";

export function addClusterList(cluster: Command, open: OpenContext): void {
  cluster
    .command("list")
    .description("List clusters with their state")
    .examples("fairlead cluster list")
    .action((_options: object, command: Command) => listClusters(open(command)));
}

async function listClusters(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const list = await (await hub()).listClusters({ signal });
  if (list.items.length === 0) await sayNoClusters(context);
  const heading = ["NAME", "STATE", "SINCE", "ROLES", "LIVE", "KUBERNETES", "AGENT", "LABELS"];

  output.answer(list, () =>
    list.items.length === 0
      ? ""
      : output.table(
          heading,
          list.items.map((cluster) => describe(context, cluster)),
        ),
  );
  for (const { name, refusal } of list.items) {
    if (!refusal) continue;
    output.remark(`${output.safe(name)}: ${output.safe(refusal.message)}`);
    if (refusal.hint) output.remark(`  ${output.safe(refusal.hint)}`);
  }
}

function describe({ output, terminal }: CommandContext, cluster: Cluster): string[] {
  return [
    output.safe(cluster.name),
    paintCluster(output, cluster),
    formatSpan(terminal.now() - Date.parse(cluster.stateSince)),
    listRoles(cluster.identityRoles ?? cluster.roles),
    listRoles(cluster.linkedRoles),
    output.safe(cluster.kubernetesVersion),
    output.safe(cluster.agentVersion),
    output.safe(formatLabels(cluster.labels)),
  ];
}

function listRoles(roles: readonly Role[] = []): string {
  return roles.join(",") || "-";
}
