import type { Cluster } from "@fairlead/contract";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan } from "../output/index.ts";
import { formatLabels, paintState } from "./cluster-text.ts";
import { sayNoClusters } from "./no-clusters.ts";

export function addClusterList(cluster: Command, open: OpenContext): void {
  cluster
    .command("list")
    .alias("ls")
    .description("list all clusters and how they are")
    .action((_options: object, command: Command) => listClusters(open(command)));
}

async function listClusters(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const list = await (await hub()).listClusters({ signal });
  if (list.items.length === 0) await sayNoClusters(context);
  const heading = ["NAME", "STATE", "SINCE", "ROLES", "KUBERNETES", "AGENT", "LABELS"];

  output.answer(list, () =>
    list.items.length === 0
      ? ""
      : output.table(
          heading,
          list.items.map((cluster) => describe(context, cluster)),
        ),
  );
}

function describe({ output, terminal }: CommandContext, cluster: Cluster): string[] {
  return [
    output.safe(cluster.name),
    paintState(output, cluster.state),
    formatSpan(terminal.now() - Date.parse(cluster.stateSince)),
    cluster.roles.join(","),
    output.safe(cluster.kubernetesVersion),
    output.safe(cluster.agentVersion),
    output.safe(formatLabels(cluster.labels)),
  ];
}
