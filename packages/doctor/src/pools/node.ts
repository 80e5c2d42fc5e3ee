import { Fields } from "@fairlead/kernel";
import { type ClusterObject, oncePerSighting, oncePerSnapshot, readTextMap, type Snapshot } from "../snapshot/index.ts";
import { type Amounts, addAmounts, readAmounts } from "./amounts.ts";
import { type NodeOwner, ownerOfNode } from "./node-owner.ts";
import { isEnded, readPodRequests } from "./pod-requests.ts";
import { isPassing, readTaints, type Taint } from "./taints.ts";

export interface PoolNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Those that stay; without those that say how the node is. */
  readonly taints: readonly Taint[];
  readonly capacityType: string;
  readonly allocatable: Amounts;
  /** The requests of its pods; undefined where not all pods could be read. */
  readonly requested: Amounts | undefined;
  /** How many pods of each namespace were seen on it. */
  readonly runs: readonly Running[];
  readonly owner: NodeOwner;
}

export interface Running {
  readonly namespace: string;
  readonly pods: number;
}

/** Ordered by name. */
export const readNodes: (snapshot: Snapshot) => readonly PoolNode[] = oncePerSnapshot((snapshot) => {
  const loads = readLoads(snapshot);
  const hasAllPods = snapshot.isWhole("pods");
  return readBareNodes(snapshot).map((node) => {
    const { requested, runs } = loads.get(node.name) ?? noLoad;
    return { ...node, requested: hasAllPods ? requested : undefined, runs };
  });
});

type Load = { readonly requested: Amounts; readonly runs: readonly Running[] };

const noLoad: Load = { requested: { pods: 0 }, runs: [] };

/** Sums up the requests of pods, by the name of their node. */
const readLoads = oncePerSighting("pods", (pods): ReadonlyMap<string, Load> => {
  const byNode = new Map<string, { readonly requests: Amounts; readonly namespace: string }[]>();
  for (const pod of pods) {
    if (isEnded(pod)) continue;
    const node = new Fields(pod).at("spec", "nodeName").text() ?? "";
    const own = byNode.get(node) ?? [];
    byNode.set(node, own);
    own.push({ requests: readPodRequests(pod), namespace: pod.metadata.namespace ?? "default" });
  }
  return new Map(
    [...byNode].map(([node, own]) => [
      node,
      {
        requested: addAmounts([...own.map(({ requests }) => requests), { pods: own.length }]),
        runs: sumRunning(own.map(({ namespace }) => ({ namespace, pods: 1 }))),
      },
    ]),
  );
});

const readBareNodes = oncePerSighting("nodes", (nodes) =>
  Array.from(nodes, readBareNode).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
);

function readBareNode(node: ClusterObject): Omit<PoolNode, "requested" | "runs"> {
  const fields = new Fields(node);
  const labels = readTextMap(fields.at("metadata", "labels"));
  return {
    name: node.metadata.name,
    isReady: fields.condition("Ready")?.status === "True",
    labels,
    taints: readTaints(fields.at("spec", "taints")).filter((taint) => !isPassing(taint)),
    capacityType: capacityTypeOf(labels),
    allocatable: readAmounts(fields.at("status", "allocatable")),
    owner: ownerOfNode(labels, readTextMap(fields.at("metadata", "annotations"))),
  };
}

/** Each provider says in labels of its own which nodes may be taken away; all others stay. */
function capacityTypeOf(labels: PoolNode["labels"]): string {
  const karpenter = labels["karpenter.sh/capacity-type"];
  if (karpenter !== undefined) return karpenter;
  const isSpot =
    labels["eks.amazonaws.com/capacityType"] === "SPOT" ||
    labels["cloud.google.com/gke-spot"] === "true" ||
    labels["cloud.google.com/gke-preemptible"] === "true" ||
    ["spot", "preemptible"].includes(labels["cloud.google.com/gke-provisioning"] ?? "") ||
    labels["kubernetes.azure.com/scalesetpriority"] === "spot" ||
    labels["oci.oraclecloud.com/oke-is-preemptible"] === "true" ||
    labels["machine.openshift.io/interruptible-instance"] !== undefined;
  if (isSpot) return "spot";
  return labels["eks.amazonaws.com/capacityType"] === "CAPACITY_BLOCK" ? "reserved" : "on-demand";
}

/** Returns an entry for each namespace, in the order of their names. */
export function sumRunning(all: readonly Running[]): Running[] {
  const counts = new Map<string, number>();
  for (const { namespace, pods } of all) counts.set(namespace, (counts.get(namespace) ?? 0) + pods);
  return [...counts]
    .map(([namespace, pods]) => ({ namespace, pods }))
    .toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
}
