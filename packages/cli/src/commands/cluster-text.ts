import type { Cluster, ClusterState, HubCode, Labels } from "@fairlead/contract";
import type { Output } from "../output/index.ts";

/** The state, or what is graver: that nobody but another cluster answers under the name. */
export function paintCluster(output: Output, { state, refusal, linkedRoles }: Cluster): string {
  const isUnserved = state === "stale" && (linkedRoles ?? []).length === 0;
  if (!isUnserved || !refusal) return paintState(output, state);
  return output.colors.red(refusal.code === mismatch ? "other-cluster" : "unproven");
}

export function paintState({ colors }: Output, state: ClusterState): string {
  switch (state) {
    case "connected":
      return colors.green(state);
    case "stale":
    case "offline":
      return colors.yellow(state);
    case "revoked":
      return colors.red(state);
    case "never-connected":
      return colors.dim(state);
    default:
      return state satisfies never;
  }
}

export function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
}

const mismatch: HubCode = "CLUSTER_IDENTITY_MISMATCH";
