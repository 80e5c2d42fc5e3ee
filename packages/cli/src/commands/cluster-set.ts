import type {
  Cluster,
  GitopsMapping,
  GitopsMode,
  GitopsRules,
  LabelChanges,
  PutGitopsSettingsRequest,
  UpdateClusterRequest,
} from "@fairlead/contract";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { showDifference } from "../difference/index.ts";
import { usage } from "../errors.ts";
import type { Output } from "../output/index.ts";
import { formatLabels } from "./cluster-text.ts";
import { collectLabelChange } from "./collect.ts";
import { foreseeSettings } from "./foresee-settings.ts";

interface SetOptions {
  readonly label?: LabelChanges;
  readonly displayName?: string;
  readonly protected?: boolean;
  readonly gitopsMode?: GitopsMode;
  readonly gitopsMapping?: GitopsMapping;
  readonly gitopsOnUidMismatch?: GitopsRules["onUidMismatch"];
  readonly gitopsAdoption?: GitopsRules["adoption"];
  readonly gitopsOnRecreate?: GitopsRules["onRecreate"];
  readonly gitopsCreateNamespaces?: "yes" | "no";
  readonly gitopsGuardPercent?: number;
  readonly gitopsGuardMin?: number;
  readonly fitnessProfile?: string;
  readonly dryRun?: boolean;
}

export function addClusterSet(cluster: Command, open: OpenContext): void {
  const choice = (flags: string, description: string, choices: readonly string[]): Option =>
    new Option(flags, description).choices(choices);
  cluster
    .command("set")
    .description("Change a cluster's settings; settings without a flag stay as they are")
    .examples(
      "fairlead cluster set east --label env=prod --label tier-",
      "fairlead cluster set east --display-name 'Payments, Frankfurt' --protected",
      "fairlead cluster set east --gitops-mode managed",
      "fairlead cluster set east --fitness-profile truefoundry",
    )
    .argument("<name>", "Name of the cluster")
    .option(
      "--label <change>",
      "Label to set, for example env=prod, or to remove, for example env-; can be repeated",
      collectLabelChange,
    )
    .option("--display-name <name>", "Name for people beside the cluster's own, at most 100 characters; '' removes it")
    .option("--protected", "Refuse to delete and to revoke the cluster")
    .option("--no-protected", "Allow to delete and to revoke the cluster again")
    .addOption(
      choice(
        "--gitops-mode <mode>",
        "Owner of the cluster's Argo CD applications: the hub (managed), the cluster (autonomous), or none (off, initially)",
        ["off", "managed", "autonomous"],
      ),
    )
    .addOption(
      choice(
        "--gitops-mapping <mapping>",
        "How the hub finds an application's cluster: by its namespace (initially), or by its destination in managed mode",
        ["namespace", "destination"],
      ),
    )
    .addOption(
      choice(
        "--gitops-on-uid-mismatch <rule>",
        "What to do with a copy whose object was replaced on the hub: recreate it (initially) or update it in place",
        ["recreate", "upsert"],
      ),
    )
    .addOption(
      choice(
        "--gitops-adoption <rule>",
        "Whether copies may replace objects of the same name in the cluster (initially always)",
        ["always", "never"],
      ),
    )
    .addOption(
      choice(
        "--gitops-on-recreate <rule>",
        "What to do with the status of an application that was deleted in the cluster and made again (initially ignore)",
        ["ignore", "clear-status", "resync"],
      ),
    )
    .addOption(
      choice(
        "--gitops-create-namespaces <yes|no>",
        "Whether the agent creates the namespaces of applications (initially no)",
        ["yes", "no"],
      ),
    )
    .option(
      "--gitops-guard-percent <share>",
      "Percentage of applications, from 1 to 100 (initially 20); deleting more at once needs confirmation",
      parseNumber(100),
    )
    .option(
      "--gitops-guard-min <number>",
      "Number of deletions, from 1 to 5000 (initially 5); fewer at once never need confirmation",
      parseNumber(5_000),
    )
    .option("--fitness-profile <profile>", "Fitness profile of the cluster: fairlead, truefoundry, or one of your own")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((name: string, options: SetOptions, command: Command) => setCluster(open(command), name, options));
}

async function setCluster(context: CommandContext, name: string, options: SetOptions): Promise<void> {
  const { hub, output, signal } = context;
  const request = toRequest(options);
  const update = toUpdate(options);
  const { fitnessProfile: profile } = options;
  const [isOfGitops, isOfCluster] = [request, update].map((one) => Object.keys(one).length > 0);
  if (!isOfGitops && !isOfCluster && profile === undefined)
    throw usage("No change is specified.", "Specify what to change, for example --label env=prod.");
  const client = await hub();
  if (options.dryRun) {
    const change = { update: isOfCluster ? update : undefined, gitops: isOfGitops ? request : undefined, profile };
    const { before, after } = await foreseeSettings({ client, name, change, signal });
    return showDifference(context, { what: `cluster/${name}`, before, after, source: "flags" });
  }
  const cluster = isOfCluster ? await client.updateCluster(name, update, { signal }) : undefined;
  const choice = profile === undefined ? undefined : await client.putProfileChoice(name, { profile }, { signal });
  const settings = isOfGitops ? await client.putGitopsSettings(name, request, { signal }) : undefined;

  output.answer({ ...cluster, ...settings, ...(choice && { fitness: choice }) }, () =>
    [
      cluster && describeCluster(output, cluster),
      settings && `Argo CD applications of '${output.safe(settings.cluster)}': ${settings.mode}.\n`,
      choice &&
        `'${output.safe(choice.cluster)}' is examined by '${output.safe(choice.profile)}', generation ${choice.generation}.\n`,
    ]
      .filter((line) => line !== undefined)
      .join(""),
  );
}

function toUpdate({ label: labels, displayName, protected: isProtected }: SetOptions): UpdateClusterRequest {
  return told({ labels, displayName: displayName === "" ? null : displayName, protected: isProtected });
}

function describeCluster({ safe }: Output, cluster: Cluster): string {
  const { name, displayName, labels } = cluster;
  const shown = displayName === undefined ? `'${safe(name)}'` : `'${safe(name)}' (${safe(displayName)})`;
  const text = formatLabels(labels);
  const has = text === "" ? "no labels" : `the labels ${safe(text)}`;
  return `${shown} has ${has}, and is ${cluster.protected ? "protected" : "not protected"}.\n`;
}

function toRequest(options: SetOptions): PutGitopsSettingsRequest {
  const { gitopsMode: mode, gitopsMapping: mapping, gitopsCreateNamespaces: createNamespaces } = options;
  const rules = told({
    onUidMismatch: options.gitopsOnUidMismatch,
    adoption: options.gitopsAdoption,
    onRecreate: options.gitopsOnRecreate,
    createNamespaces: createNamespaces && createNamespaces === "yes",
    guardPercent: options.gitopsGuardPercent,
    guardMin: options.gitopsGuardMin,
  });
  return told({ mode, mapping, rules: Object.keys(rules).length === 0 ? undefined : rules });
}

function told<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

function parseNumber(most: number): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`It has to be a number from 1 to ${most}.`);
    return Number(text);
  };
}
