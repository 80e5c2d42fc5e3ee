// A part of `cluster get`: the hub's knowledge of a cluster's objects, and how good it is.
import type { ClusterCapacity, ClusterInventory, KindInventory } from "@fairlead/contract";
import type { CommandContext } from "../context.ts";
import { formatSpan, type Output } from "../output/index.ts";
import { describeAge, formatMemory, formatShare } from "./objects/index.ts";

export function inventoryFacts(output: Output, inventory: ClusterInventory): [string, string][] {
  const { age, capacity, replacementUid, kinds } = inventory;
  // Counts the objects that this caller may list.
  const objects = kinds.reduce((sum, kind) => sum + (kind.objects ?? 0), 0);
  return [
    ...(kinds.length === 0 ? [] : [["Objects", `${objects} of ${kinds.length} kinds`] as [string, string]]),
    ["Data", describeAge(output, age)],
    ["Lag", describeLag(inventory)],
    ...(capacity ? [["Capacity", describeCapacity(capacity)] as [string, string]] : []),
    ...(replacementUid === undefined ? [] : [["Replaced", describeReplacement(output, inventory)] as [string, string]]),
  ];
}

function describeLag({ lagMs = 0, pendingChanges = 0 }: ClusterInventory): string {
  if (pendingChanges === 0) return "no changes wait in the cluster";
  return `${pendingChanges} changes wait in the cluster, the oldest for ${formatSpan(lagMs)}`;
}

function describeCapacity(capacity: ClusterCapacity): string {
  const { nodes, readyNodes, pods, runningPods, podsAllocatable, cpuRequested, cpuAllocatable } = capacity;
  const { memoryRequested, memoryAllocatable } = capacity;
  return [
    `${readyNodes} of ${nodes} nodes ready`,
    `${pods} of ${podsAllocatable} pods (${runningPods} running)`,
    `CPU ${formatShare(cpuRequested, cpuAllocatable)} of ${cpuAllocatable} cores`,
    `memory ${formatShare(memoryRequested, memoryAllocatable)} of ${formatMemory(memoryAllocatable)}`,
  ].join(", ");
}

function describeReplacement({ colors, safe }: Output, { age, replacementUid }: ClusterInventory): string {
  const text = `another cluster answers under this name (kube-system ${safe(replacementUid)});`;
  return colors.red(`${text} 'fairlead cluster confirm ${safe(age.cluster)}' takes it on`);
}

/** Only those that aren't in step. */
export function renderKindTroubles({ output, terminal }: CommandContext, { kinds }: ClusterInventory): string {
  const bad = kinds.filter(({ state }) => state !== "synced");
  if (bad.length === 0) return "";
  const rows = bad.map((kind) => [
    output.safe(kind.kind),
    kind.state === "unavailable" ? output.colors.red("unknown") : output.colors.yellow(kind.state),
    formatSpan(terminal.now() - Date.parse(kind.since)),
    kind.objects === undefined ? "-" : String(kind.objects),
    kind.ageMs === undefined ? "never" : formatSpan(kind.ageMs),
    describeWhy(output, kind),
  ]);
  return output.table(["KIND", "STATE", "SINCE", "OBJECTS", "AGE-OF-DATA", "WHY"], rows);
}

function describeWhy(output: Output, { code, message }: KindInventory): string {
  if (message === undefined) return "-";
  return output.safe(code === undefined ? message : `${message} (${code})`);
}
