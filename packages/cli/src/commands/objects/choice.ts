// Which objects a command is about: the options that `get`, `describe`, `events` and `change list` share.
import type { ObjectFilter } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";

export interface ClusterOptions {
  readonly cluster?: readonly string[];
  readonly allClusters?: boolean;
  readonly clusterSelector?: string;
}

export interface ChoiceOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option("--cluster <cluster>", "Only this cluster (default: all clusters); can be repeated", collectText)
    .option("--all-clusters", "All clusters; this is the default")
    .option("--cluster-selector <selector>", "Only clusters whose labels match, for example env=prod,tier!=edge");
}

export function addChoiceOptions(command: Command): Command {
  return addClusterOptions(command)
    .option("-n, --namespace <namespace>", "Only this namespace (default: all namespaces)")
    .option("-A, --all-namespaces", "All namespaces; this is the default");
}

export function toClusterFilter(options: ClusterOptions): Pick<ObjectFilter, "cluster" | "clusterSelector"> {
  const { cluster, allClusters, clusterSelector } = options;
  if (allClusters && (cluster || clusterSelector !== undefined)) {
    throw usage("--all-clusters can't be combined with --cluster or --cluster-selector.");
  }
  return { cluster: cluster?.join(","), clusterSelector };
}

export function toChoice(options: ChoiceOptions): Pick<ObjectFilter, "cluster" | "clusterSelector" | "namespace"> {
  return { ...toClusterFilter(options), namespace: options.allNamespaces ? undefined : options.namespace };
}

/** True when a single cluster is meant by its name: the answer needn't say which. */
export function isOfOneCluster({ cluster }: Pick<ObjectFilter, "cluster">): boolean {
  return cluster !== undefined && !cluster.includes(",");
}

/** `pods`, `pods web-0` and `pod/web-0`, as kubectl takes them. */
export function readTarget(kind: string, name: string | undefined): { readonly kind: string; readonly name?: string } {
  const [before = "", after, more] = kind.split("/");
  if (after === undefined) return name === undefined ? { kind } : { kind, name };
  const isPair = before !== "" && after !== "" && more === undefined && name === undefined && !before.includes(",");
  if (!isPair)
    throw usage(`'${kind}' isn't a kind, or a kind and a name.`, "Write it like pods, pods web-0 or pod/web-0.");
  return { kind: before, name: after };
}
