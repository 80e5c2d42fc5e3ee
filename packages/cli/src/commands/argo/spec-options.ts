// An application's spec by options: what isn't named stays as it is.
import { Option } from "commander";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";

export interface SpecOptions {
  readonly repo?: string;
  readonly path?: string;
  readonly chart?: string;
  readonly revision?: string;
  readonly destNamespace?: string;
  readonly project?: string;
  readonly syncPolicy?: "none" | "automated";
  readonly autoPrune?: "yes" | "no";
  readonly selfHeal?: "yes" | "no";
  readonly syncOption?: readonly string[];
}

export type Spec = Readonly<Record<string, unknown>>;

export function addSpecOptions(command: Command): Command {
  return command
    .option("--repo <url>", "URL of the repository with the manifests or the chart")
    .option("--path <path>", "Folder in the git repository")
    .option("--chart <name>", "Name of the chart in a chart repository, instead of --path")
    .option("--revision <revision>", "Branch, tag or commit; for a chart, its version")
    .option("--dest-namespace <namespace>", "Namespace to deploy to")
    .option("--project <name>", "Project of the application (initially default)")
    .addOption(
      new Option("--sync-policy <policy>", "Whether Argo CD syncs the application automatically").choices([
        "none",
        "automated",
      ]),
    )
    .addOption(
      new Option(
        "--auto-prune <yes|no>",
        "Whether automatic syncs delete resources that the source no longer has",
      ).choices(yesNo),
    )
    .addOption(
      new Option("--self-heal <yes|no>", "Whether automatic syncs revert changes made in the cluster").choices(yesNo),
    )
    .option(
      "--sync-option <option>",
      "Sync option, for example CreateNamespace=true, replacing all present ones; can be repeated",
      collectText,
    );
}

/** Throws CLI_USAGE. */
export function withSpecOptions(spec: Spec, options: SpecOptions): Spec {
  const { destNamespace: namespace, project } = options;
  return {
    ...spec,
    ...withSource(spec, options),
    ...(project === undefined ? {} : { project }),
    ...(namespace === undefined ? {} : { destination: { ...toMap(spec["destination"]), namespace } }),
    ...withSyncPolicy(spec, options),
  };
}

function withSource(spec: Spec, { repo, path, chart, revision }: SpecOptions): Spec {
  if (path !== undefined && chart !== undefined) throw usage("A source has either a path or a chart, not both.");
  const told = {
    ...(repo === undefined ? {} : { repoURL: repo }),
    ...(path === undefined ? {} : { path }),
    ...(chart === undefined ? {} : { chart }),
    ...(revision === undefined ? {} : { targetRevision: revision }),
  };
  if (Object.keys(told).length === 0) return {};
  if (Array.isArray(spec["sources"]))
    throw usage(
      "The application has several sources, which options can't distinguish.",
      "Change it with `create --upsert -f FILE`.",
    );
  const { path: oldPath, chart: oldChart, ...rest } = toMap(spec["source"]);
  const kept = {
    ...(oldPath === undefined || chart !== undefined ? {} : { path: oldPath }),
    ...(oldChart === undefined || path !== undefined ? {} : { chart: oldChart }),
  };
  return { source: { ...rest, ...kept, ...told } };
}

function withSyncPolicy(spec: Spec, { syncPolicy, autoPrune, selfHeal, syncOption }: SpecOptions): Spec {
  if ([syncPolicy, autoPrune, selfHeal, syncOption].every((option) => option === undefined)) return {};
  const { automated: before, ...rest } = toMap(spec["syncPolicy"]);
  const isAutomated = syncPolicy === undefined ? before !== undefined : syncPolicy === "automated";
  if (!isAutomated && (autoPrune ?? selfHeal) !== undefined)
    throw usage("Only an application with automated sync can prune or self-heal.", "Add --sync-policy automated.");
  const automated = {
    ...toMap(before),
    ...(autoPrune === undefined ? {} : { prune: autoPrune === "yes" }),
    ...(selfHeal === undefined ? {} : { selfHeal: selfHeal === "yes" }),
  };
  return {
    syncPolicy: {
      ...rest,
      ...(isAutomated ? { automated } : {}),
      ...(syncOption === undefined ? {} : { syncOptions: syncOption }),
    },
  };
}

function toMap(value: unknown): Spec {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Spec) : {};
}

const yesNo = ["yes", "no"];
