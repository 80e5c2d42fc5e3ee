import type { ClusterCapacity, ClusterInventorySummary } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { paintState } from "../cluster-text.ts";
import { sayNoClusters } from "../no-clusters.ts";
import { formatMemory, formatShare } from "./capacity-text.ts";
import { addClusterOptions, type ClusterOptions, toClusterFilter } from "./choice.ts";
import { describeAge, tellTroubles } from "./data-age.ts";

export function addTop(program: Command, open: OpenContext): void {
  const top = program.command("top").description("Show resource usage and health");
  addClusterOptions(
    top
      .command("cluster")
      .formerly("top clusters")
      .description("Show the capacity, requests and health of clusters")
      .examples("fairlead top cluster --cluster-selector env=prod"),
  ).action((options: ClusterOptions, command: Command) => topClusters(open(command), options));
}

async function topClusters(context: CommandContext, options: ClusterOptions): Promise<void> {
  const { output, signal } = context;
  const list = await (await context.hub()).listInventories(toClusterFilter(options), { signal });
  if (list.items.length === 0) await sayNone(context, options);
  const heading = ["CLUSTER", "STATE", "KUBERNETES", "NODES", "PODS", "CPU", "MEMORY", "UNHEALTHY", "AGE-OF-DATA"];
  output.answer(list, () =>
    list.items.length === 0
      ? ""
      : output.table(
          heading,
          list.items.map((cluster) => rowOf(context, cluster)),
        ),
  );
  tellTroubles(
    output,
    list.items.map(({ age }) => age),
  );
}

async function sayNone(context: CommandContext, { cluster, clusterSelector }: ClusterOptions): Promise<void> {
  if (cluster === undefined && clusterSelector === undefined) return sayNoClusters(context);
  context.output.remark("No cluster that you can see is meant by this.");
}

function rowOf({ output }: CommandContext, cluster: ClusterInventorySummary): string[] {
  const { age, kubernetesVersion, capacity, health } = cluster;
  return [
    output.safe(age.cluster),
    paintState(output, age.state),
    output.safe(kubernetesVersion),
    ...(capacity ? describeCapacity(capacity) : ["-", "-", "-", "-"]),
    describeUnhealthy(health),
    describeAge(output, age),
  ];
}

function describeCapacity(capacity: ClusterCapacity): string[] {
  const { nodes, readyNodes, pods, podsAllocatable } = capacity;
  const { cpuRequested, cpuAllocatable, memoryRequested, memoryAllocatable } = capacity;
  const round = (cores: number): string => String(Math.round(cores * 10) / 10);
  return [
    readyNodes === nodes ? String(nodes) : `${readyNodes}/${nodes} ready`,
    `${pods}/${podsAllocatable}`,
    `${round(cpuRequested)}/${round(cpuAllocatable)} (${formatShare(cpuRequested, cpuAllocatable)})`,
    `${formatMemory(memoryRequested)}/${formatMemory(memoryAllocatable)} (${formatShare(memoryRequested, memoryAllocatable)})`,
  ];
}

function describeUnhealthy(health: ClusterInventorySummary["health"]): string {
  const bad = Object.entries(health).filter(([name, count]) => name !== "Healthy" && count > 0);
  return bad.length === 0 ? "-" : bad.map(([name, count]) => `${count} ${name}`).join(", ");
}
