import type { ClusterState, Labels } from "@fairlead/contract";
import type { Output } from "../output/index.ts";

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
