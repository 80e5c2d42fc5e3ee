import type { RolloutWave } from "@fairlead/contract";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import { addChartValues, type ChartValues } from "../chart-values.ts";
import { parseClusterCount } from "../limit.ts";
import { addTargetOptions, parseWaves, type TargetOptions } from "../runs/index.ts";

export interface UpgradeOptions extends TargetOptions, ChartValues {
  /** Only shows versions without it. */
  readonly chart?: string;
  readonly chartVersion?: string;
  readonly clusterContext?: ReadonlyMap<string, string>;
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly waves?: readonly RolloutWave[];
  readonly maxParallel: number;
  readonly skipUnusable?: boolean;
  /** In milliseconds. */
  readonly timeout: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addUpgradeOptions(command: Command): Command {
  addTargetOptions(command)
    .option(
      "--chart <chart>",
      "Chart to upgrade to: a folder, a file, or oci://REGISTRY/…; without it, only show versions",
    )
    .option("--chart-version <version>", "Version of the chart, where --chart names a repository's")
    .option(
      "--cluster-context <cluster=context>",
      "Kubeconfig context of a cluster (default: the cluster's own name); can be repeated",
      collectContext,
    )
    .option("--kubeconfig <file>", "Kubeconfig that has the contexts (default: the one that kubectl uses)")
    .option("-n, --namespace <namespace>", "Namespace of the agents' releases (default: wherever an agent is found)");
  return addChartValues(command)
    .addOption(
      new Option(
        "--waves <waves>",
        "Upgrade in waves, for example 1,10%,rest or env=canary,rest (default: 1,rest)",
      ).argParser(parseWaves),
    )
    .option("--max-parallel <number>", "Maximum number of clusters to upgrade at once", parseClusterCount, 4)
    .option("--skip-unusable", "Skip clusters that are offline or can't be upgraded from here")
    .addOption(
      new Option("--timeout <time>", "Maximum time to wait until a cluster's new agent is live")
        .argParser(parseSpan)
        .default(300_000, "5m"),
    )
    .option("--dry-run", "Print the plan without carrying it out")
    .option("-y, --yes", "Don't ask for confirmation");
}

export function toChartArguments({ chart = "", chartVersion }: UpgradeOptions): string[] {
  return [chart, ...(chartVersion === undefined ? [] : ["--version", chartVersion])];
}

/** True when the person says this value anew, or may have in a file. */
export function isSaid({ set = [], setString = [], values = [] }: UpgradeOptions, path: string): boolean {
  return (
    values.length > 0 ||
    [...set, ...setString].some((value) => value.split(",").some((one) => one.startsWith(`${path}=`)))
  );
}

function collectContext(text: string, sofar: ReadonlyMap<string, string> | undefined): Map<string, string> {
  const at = text.indexOf("=");
  if (at < 1 || at === text.length - 1) throw usage(`'${text}' names no context.`, "Write it like east=kind-east.");
  return new Map([...(sofar ?? []), [text.slice(0, at), text.slice(at + 1)]]);
}
