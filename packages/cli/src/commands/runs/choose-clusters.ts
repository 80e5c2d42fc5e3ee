// Where something is to be done. Nobody means all clusters by saying nothing.
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";

export interface TargetOptions {
  readonly cluster?: readonly string[];
  readonly allClusters?: boolean;
  readonly clusterSelector?: string;
}

/** Which clusters are meant by labels the hub says, when it begins. */
export type Target = { readonly clusters: readonly string[] } | { readonly selector: string } | { readonly all: true };

export function addTargetOptions(command: Command): Command {
  return command
    .option("--cluster <cluster>", "Cluster to run in; can be repeated", collectText)
    .option("--all-clusters", "Run in all clusters")
    .option(
      "--cluster-selector <selector>",
      "Run in the clusters whose labels match, for example env=prod,tier notin (edge)",
    );
}

export function readTarget({ cluster: names, allClusters = false, clusterSelector: selector }: TargetOptions): Target {
  const ways = [names !== undefined, allClusters, selector !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw usage(
      "The clusters must be chosen in exactly one way.",
      "Use one of --cluster, --cluster-selector and --all-clusters.",
    );
  if (names) return { clusters: [...new Set(names)] };
  return selector === undefined ? { all: true } : { selector };
}
