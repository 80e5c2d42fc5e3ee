import {
  type ClusterCheck,
  type ClusterInput,
  type Fix,
  fail,
  few,
  listNames,
  pass,
  type Verdict,
  warn,
} from "../../checks/index.ts";
import type { PoolDemand } from "../../profiles/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import type { NodePool } from "../node-pool.ts";
import { readAllNodePools } from "../read-node-pools.ts";
import { formatTaint } from "../taints.ts";
import { createPool, fixPool } from "./demand-fix.ts";
import { judgeDemand, objectOf, type Shortfall } from "./judge-demand.ts";

export const criticalPool: ClusterCheck = {
  id: "pools.critical",
  title: "A pool for pods that must stay up is set up as the profile asks",
  why: "Controllers that everything else waits for run on nodes that nobody takes away: on-demand, of an architecture that their images have, and with a taint that keeps other pods out. A taint with another value, or without one, is another taint to a toleration that names the value.",
  severity: "required",
  features: ["node-provisioning"],
  appliesTo: ({ profile }) => profile.nodePools.critical !== undefined,
  judge: (input) => judgeRole(input, "critical", "fail"),
};

export const defaultPool: ClusterCheck = {
  id: "pools.default",
  title: "Pods that ask for nothing special find a pool",
  why: "A pod without tolerations only runs on nodes without taints. Where Karpenter's pool doesn't say which architecture, system or capacity type it takes, it takes what is cheapest: an arm64 node for an amd64 image, for example.",
  severity: "required",
  features: ["deploy", "node-provisioning"],
  appliesTo: ({ profile }) => profile.nodePools.default !== undefined,
  judge: (input) => judgeRole(input, "default", "fail"),
};

export const gpuPool: ClusterCheck = {
  id: "pools.gpu",
  title: "GPU nodes are kept for pods that want GPUs",
  why: "Without a taint, any pod may take the room on a GPU node. Pods that ask for GPUs tolerate the taint's key whatever its value is: charts write none, GKE writes `present`, and prose says `true`. The label lets the GPU operator install its drivers.",
  severity: "required",
  features: ["gpu"],
  appliesTo: ({ profile }) => profile.nodePools.gpu !== undefined,
  judge: (input) => judgeRole(input, "gpu", "warn"),
};

type Role = "critical" | "default" | "gpu";

function judgeRole({ snapshot, profile }: ClusterInput, role: Role, whenAbsent: "fail" | "warn"): Verdict {
  const demand = profile.nodePools[role];
  if (!demand) return pass("The profile asks for no such pool.");
  const pools = relevantPools(readAllNodePools(snapshot, profile.nodePools));
  const candidates = candidatesFor(role, pools, demand);
  if (candidates.length === 0)
    return judgeAbsence({ role, pools, is: whenAbsent, fix: fixAbsence({ role, pools, demand, snapshot }) });

  const shortfalls = candidates.map((pool) => ({ pool, found: judgeDemand(pool, demand) }));
  const unfit = shortfalls.filter(({ found }) => found.length > 0);
  const evidence = few(unfit.flatMap(({ found }) => found.map((shortfall) => shortfall.evidence)));
  if (unfit.length > 0) {
    const is = unfit.some(({ found }) => found.some((shortfall) => shortfall.is === "fail")) ? fail : warn;
    const fix = unfit.map(({ pool }) => fixPool(pool, demand)).find((each) => each !== undefined);
    return is(
      few(unfit)
        .map(({ pool, found }) => sentence(pool, found))
        .join(" "),
      evidence,
      fix,
    );
  }
  const offered = new Set(candidates.flatMap(({ capacityTypes }) => capacityTypes.values));
  const missing = demand.capacityTypes.filter((type) => !offered.has(type));
  const names = listNames(candidates.map(({ name }) => name));
  // Only Karpenter can be told to take both; a node group has one kind.
  const canTakeAny = candidates.every(({ source }) => source === "karpenter");
  if (missing.length === 0 || !canTakeAny) return pass(`As asked for: ${names}.`);
  return warn(
    `No such pool has ${missing.join(" or ")} nodes.`,
    few(candidates).map((pool) => ({
      object: objectOf(pool),
      path: pool.object ? "spec.template.spec.requirements" : "metadata.labels",
      observed: `karpenter.sh/capacity-type: ${pool.capacityTypes.values.join(", ")}`,
      expected: `karpenter.sh/capacity-type In ${demand.capacityTypes.join(", ")}`,
    })),
    candidates[0] && fixPool(candidates[0], demand),
  );
}

/** Where Karpenter makes nodes, its pools are judged, and not the few nodes that Karpenter itself runs on. */
function relevantPools(pools: readonly NodePool[]): NodePool[] {
  const karpenter = pools.filter(({ object }) => object !== undefined);
  return karpenter.length > 0 ? karpenter : pools.filter(({ source }) => source !== "cluster-autoscaler");
}

function candidatesFor(role: Role, pools: readonly NodePool[], demand: PoolDemand): NodePool[] {
  const byPurpose = pools.filter(({ purpose }) => purpose === role);
  if (role !== "critical") return byPurpose;
  // A pool with the taint's key and another value was meant for it.
  const keys = demand.taints.map(({ key }) => key);
  const marked = pools.filter(
    ({ labels, taints }) =>
      Object.entries(demand.labels).some(([key, value]) => labels[key] === value) ||
      taints.some(({ key }) => keys.includes(key)),
  );
  return keys.length + Object.keys(demand.labels).length === 0 ? byPurpose : marked;
}

interface Absence {
  readonly role: Role;
  readonly pools: readonly NodePool[];
  readonly is: "fail" | "warn";
  readonly fix: Fix | undefined;
}

function judgeAbsence({ role, pools, is, fix }: Absence): Verdict {
  const evidence = pools.map((pool) => ({
    object: objectOf(pool),
    path: pool.object ? "spec.template.spec.taints" : "spec.taints",
    observed: `${pool.name}: ${pool.taints.map(formatTaint).join(", ") || "no taints"}`,
    expected: wishes[role],
  }));
  const message = pools.length === 0 ? "The cluster has no nodes and no pools." : absences[role];
  return (is === "fail" ? fail : warn)(message, few(evidence), fix);
}

/** A pool by the role's name was meant for it. */
function fixAbsence({ role, pools, demand, snapshot }: Omit<Absence, "is" | "fix"> & FixInput): Fix | undefined {
  const named = pools.find(({ object, name }) => object && name.split("-").includes(role));
  return named ? fixPool(named, demand) : createPool(role, demand, snapshot);
}

interface FixInput {
  readonly demand: PoolDemand;
  readonly snapshot: Snapshot;
}

const wishes: Readonly<Record<Role, string>> = {
  critical: "a pool with the taint and the label that the profile asks for",
  default: "a pool without taints",
  gpu: "a pool with GPUs",
};

const absences: Readonly<Record<Role, string>> = {
  critical: "No pool is for pods that must stay up.",
  default: "Every pool has taints: a pod without tolerations finds no node.",
  gpu: "No pool has GPUs.",
};

function sentence(pool: NodePool, found: readonly Shortfall[]): string {
  const subjects = [...new Set(found.map(({ subject }) => subject))].join(", ");
  return `${pool.name} differs in ${subjects}.`;
}
