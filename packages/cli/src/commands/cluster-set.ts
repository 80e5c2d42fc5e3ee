import type { GitopsMapping, GitopsMode, GitopsRules, PutGitopsSettingsRequest } from "@fairlead/contract";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { usage } from "../errors.ts";

interface SetOptions {
  readonly gitopsMode?: GitopsMode;
  readonly gitopsMapping?: GitopsMapping;
  readonly gitopsOnUidMismatch?: GitopsRules["onUidMismatch"];
  readonly gitopsAdoption?: GitopsRules["adoption"];
  readonly gitopsOnRecreate?: GitopsRules["onRecreate"];
  readonly gitopsCreateNamespaces?: "yes" | "no";
  readonly gitopsGuardPercent?: number;
  readonly gitopsGuardMin?: number;
  readonly fitnessProfile?: string;
}

export function addClusterSet(cluster: Command, open: OpenContext): void {
  const choice = (flags: string, description: string, choices: readonly string[]): Option =>
    new Option(flags, description).choices(choices);
  cluster
    .command("set")
    .description("Change a cluster's settings; settings without a flag stay as they are")
    .examples(
      "fairlead cluster set east --gitops-mode managed",
      "fairlead cluster set east --fitness-profile truefoundry",
    )
    .argument("<name>", "Name of the cluster")
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
    .action((name: string, options: SetOptions, command: Command) => setCluster(open(command), name, options));
}

async function setCluster(context: CommandContext, name: string, options: SetOptions): Promise<void> {
  const { hub, output, signal } = context;
  const request = toRequest(options);
  const { fitnessProfile: profile } = options;
  const isOfGitops = Object.keys(request).length > 0;
  if (!isOfGitops && profile === undefined)
    throw usage("Nothing is to be set.", "Name what is to change, such as --gitops-mode managed.");
  const client = await hub();
  const choice = profile === undefined ? undefined : await client.putProfileChoice(name, { profile }, { signal });
  const settings = isOfGitops ? await client.putGitopsSettings(name, request, { signal }) : undefined;

  output.answer({ ...settings, ...(choice && { fitness: choice }) }, () =>
    [
      settings && `Argo CD applications of '${output.safe(settings.cluster)}': ${settings.mode}.\n`,
      choice &&
        `'${output.safe(choice.cluster)}' is examined by '${output.safe(choice.profile)}', generation ${choice.generation}.\n`,
    ]
      .filter((line) => line !== undefined)
      .join(""),
  );
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
