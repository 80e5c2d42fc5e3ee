import type { Cluster, Role } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan, type Output } from "../output/index.ts";
import { formatLabels, paintCluster } from "./cluster-text.ts";
import { sayNoClusters } from "./no-clusters.ts";
import { watchList } from "./watch-list.ts";

export function addClusterList(cluster: Command, open: OpenContext): void {
  cluster
    .command("list")
    .prints("cluster")
    .description("List clusters with their state")
    .examples("fairlead cluster list", "fairlead cluster list --watch")
    .option("-w, --watch", "Print clusters again as they change, until Ctrl-C")
    .action((options: { readonly watch?: boolean }, command: Command) =>
      options.watch ? watchClusters(open(command)) : listClusters(open(command)),
    );
}

async function listClusters(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const list = await (await hub()).listClusters({ signal });
  if (list.items.length === 0) await sayNoClusters(context);
  output.answer(list, () =>
    list.items.length === 0
      ? ""
      : output.table(
          headingOf(output),
          list.items.map((cluster) => describe(context, cluster)),
        ),
  );
  for (const { name, refusal } of list.items) {
    if (!refusal) continue;
    output.remark(`${output.safe(name)}: ${output.safe(refusal.message)}`);
    if (refusal.hint) output.remark(`  ${output.safe(refusal.hint)}`);
  }
}

async function watchClusters(context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const hub = await context.hub();
  return watchList<Cluster>(context, {
    heading: headingOf(output),
    read: async () => (await hub.listClusters({ signal })).items,
    keyOf: ({ name }) => name,
    // These fields change all the time.
    markOf: ({ lastSeenAt: _, clockSkewMs: __, ...cluster }) => cluster,
    toRow: (cluster) => describe(context, cluster),
  });
}

function headingOf({ isWide }: Output): string[] {
  const heading = ["NAME", "STATE", "SINCE", "ROLES", "LIVE", "KUBERNETES", "AGENT", "LABELS"];
  return isWide ? [...heading, "SEEN", "UID", "ALARMS"] : heading;
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
    ...(output.isWide ? moreOf({ output, terminal }, cluster) : []),
  ];
}

function moreOf({ output, terminal }: Pick<CommandContext, "output" | "terminal">, cluster: Cluster): string[] {
  const { lastSeenAt, kubeSystemUid, alarmCount = 0 } = cluster;
  return [
    lastSeenAt === undefined ? "never" : formatSpan(terminal.now() - Date.parse(lastSeenAt)),
    output.safe(kubeSystemUid),
    String(alarmCount),
  ];
}

function listRoles(roles: readonly Role[] = []): string {
  return roles.join(",") || "-";
}
