import { Option } from "commander";
import { chooseKubeContext } from "../choose-context.ts";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import type { DoctorOptions } from "../doctor/index.ts";
import { usage } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseSpan } from "../output/index.ts";
import { EndsWith, Interrupted } from "../terminal.ts";
import { collectText } from "./collect.ts";
import { doctorOfHub, type ShowOptions } from "./fitness/index.ts";
import type { ClusterOptions } from "./objects/index.ts";

/** Needs no hub unless it is asked about clusters of one, and is the only command that talks to a cluster by itself. */
export function addDoctor(program: Command, open: OpenContext): void {
  program
    .command("doctor")
    .description("Check whether a cluster is fit to run workloads, what is missing, and how to fix it")
    .examples(
      "fairlead doctor --kube-context staging --profile truefoundry",
      "fairlead doctor --all-clusters",
      "fairlead doctor --kube-context staging --fix",
    )
    .option("--kubeconfig <file>", "Kubeconfig of the cluster (default: the one that kubectl uses)")
    .option("--kube-context <context>", "Context in the kubeconfig (default: its current context)")
    .option(
      "--namespaces <names>",
      "Namespaces to read, separated by commas, if you can't list all (default: the context's namespace)",
    )
    .addOption(
      new Option("--timeout <time>", "Maximum time to read from the cluster")
        .argParser(parseSpan)
        .default(120_000, "2m"),
    )
    .addOption(
      new Option("--from <folder>", "Folder of YAML and JSON files to examine instead of a cluster").conflicts([
        "kubeconfig",
        "kubeContext",
        "namespaces",
      ]),
    )
    .option("--complete", "Treat the folder as complete: an object that isn't in it doesn't exist")
    .option("--profile <profile>", "Fitness profile: fairlead, truefoundry, or a YAML file (default: fairlead)")
    .option("--type <type>", "Type of the cluster, if it is detected wrongly: eks, gke, aks, openshift, oke or generic")
    .option("--only <names>", "Only these addons and checks, separated by commas")
    .addOption(new Option("--junit", "Print the report as JUnit XML").conflicts(["sarif", "fix"]))
    .addOption(new Option("--sarif", "Print the report as SARIF 2.1.0").conflicts("fix"))
    .option("--fix", "Print only the changes that would make the cluster pass, destructive ones as comments")
    .addOption(
      new Option("--cluster <cluster>", "Ask the hub about this cluster; can be repeated")
        .argParser(collectText)
        .conflicts(ofOneCluster),
    )
    .addOption(new Option("--all-clusters", "Ask the hub about all clusters").conflicts(ofOneCluster))
    .addOption(
      new Option(
        "--cluster-selector <selector>",
        "Ask the hub about the clusters whose labels match, for example env=prod",
      ).conflicts(ofOneCluster),
    )
    .addOption(
      new Option("--all", "With clusters of the hub, show all addons and checks, also those that are well").conflicts(
        ofOneCluster,
      ),
    )
    .action((options: DoctorOptions & ClusterOptions & ShowOptions, command: Command) =>
      doctor(open(command), command, options),
    );
}

/** Pipelines go by its exit codes: 1 says that the cluster was judged and isn't fit, 2 everything that kept it from that. */
async function doctor(
  context: CommandContext,
  command: Command,
  options: DoctorOptions & ClusterOptions & ShowOptions,
): Promise<void> {
  if (options.all && !isForHub(options))
    throw usage("--all applies only to clusters of the hub.", "Add --all-clusters.");
  const fitness = isForHub(options)
    ? await doctorOfHub(context, options)
    : await examine(context, readLocalOptions(command, options));
  switch (fitness) {
    case "fit":
      return;
    case "unfit":
      throw new EndsWith(exitCodes.failure.value);
    case "unjudged":
      throw new EndsWith(exitCodes.usage.value);
    default:
      return fitness satisfies never;
  }
}

function readLocalOptions(command: Command, options: DoctorOptions): DoctorOptions {
  const { profile } = command.optsWithGlobals<{ readonly profile?: string }>();
  const context = chooseKubeContext(command);
  if (options.from !== undefined && context !== undefined)
    throw usage("--from and --kube-context can't be combined.", "Remove one of them.");
  return { ...options, context, ...(profile !== undefined && { profile }) };
}

function isForHub({ cluster, allClusters, clusterSelector }: ClusterOptions): boolean {
  return cluster !== undefined || allClusters === true || clusterSelector !== undefined;
}

async function examine(context: CommandContext, options: DoctorOptions) {
  try {
    // The catalogue and the client of clusters are loaded for this command alone.
    const { runDoctor } = await import("../doctor/index.ts");
    return await runDoctor(context, options);
  } catch (thrown) {
    if (context.signal.aborted || thrown instanceof Interrupted) throw thrown;
    throw new EndsWith(exitCodes.usage.value, { cause: thrown });
  }
}

/** Options for a cluster that the command looks at by itself, without a hub. */
const ofOneCluster = [
  "kubeconfig",
  "kubeContext",
  "namespaces",
  "from",
  "complete",
  "type",
  "only",
  "junit",
  "sarif",
  "fix",
];
