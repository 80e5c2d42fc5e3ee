// The clusters in which a role applies: the same options for bindings and requests.
import type { ClusterChoice, Labels } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { formatLabels } from "../cluster-text.ts";
import { collectLabel, collectText } from "../collect.ts";

export interface ClusterOptions {
  readonly cluster?: string[];
  readonly clusterSelector?: Labels;
  readonly allClusters?: boolean;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option("--cluster <cluster>", "Cluster where the role applies; can be repeated", collectText)
    .option(
      "--cluster-selector <key=value>",
      "Clusters with this label, for example env=prod; can be repeated",
      collectLabel,
    );
}

/** Requires exactly one of the flags, so that nobody grants a role in all clusters by accident. */
export function clustersOf({ cluster, clusterSelector: selector, allClusters }: ClusterOptions): ClusterChoice {
  const given: readonly ClusterChoice[] = [
    ...(cluster === undefined ? [] : [{ names: cluster }]),
    ...(selector === undefined ? [] : [{ selector: { matchLabels: selector } }]),
    ...(allClusters === true ? [{ all: true } as const] : []),
  ];
  const [clusters] = given;
  if (!clusters || given.length > 1) {
    throw usage(
      "The clusters must be chosen in exactly one way.",
      "Use one of --cluster (repeatable), --cluster-selector and --all-clusters.",
    );
  }
  return clusters;
}

export function formatClusters(clusters: ClusterChoice): string {
  if ("names" in clusters) return clusters.names.join(", ");
  return "selector" in clusters ? formatLabels(clusters.selector.matchLabels) : "all clusters";
}
