// One cluster is looked at through the hub, and what is missing there becomes a plan. It is made anew each time: nothing
// is kept between a plan that was shown and the installation.
import type { AddonReport, ClusterType, InstallPlan, InstallWay, Mirrors } from "@fairlead/doctor";
import { type Command, Option } from "commander";
import type { CommandContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";
import { readMap } from "../read-map.ts";
import { addExamineOptions, type ExamineOptions, examineThroughHub } from "./examine-through-hub.ts";

export interface PlanOptions extends ExamineOptions {
  readonly values?: readonly string[];
  readonly mirror?: readonly string[];
  readonly through?: InstallWay;
}

export function addPlanOptions(command: Command): Command {
  return addExamineOptions(command)
    .option("--values <addon=file>", "Helm values of your own, merged over ours; repeat for more", collectText)
    .option("--mirror <from=to>", "another place for charts, by how their address begins; repeat for more", collectText)
    .addOption(
      new Option("--through <way>", "who installs (default: Argo CD where it runs)").choices(["argocd", "helm"]),
    );
}

export interface ClusterPlan extends InstallPlan {
  readonly cluster: string;
  readonly clusterType: ClusterType;
  /** Where Argo CD's applications are made. */
  readonly argo: { readonly namespace: string; readonly project: string };
}

export async function makePlan(
  context: CommandContext,
  request: { readonly cluster: string; readonly wanted: readonly string[]; readonly options: PlanOptions },
): Promise<ClusterPlan> {
  const { cluster, wanted, options } = request;
  const ownValues = await readValues(context, options.values);
  const mirrors = readMirrors(options.mirror);
  const { catalogue, planInstall } = await import("@fairlead/doctor");
  const { report, profile } = await examineThroughHub(context, { cluster, options });
  const clusterType = report.clusterType.type;
  const plan = planInstall({
    ...{ wanted, catalogue, ownValues, mirrors, profile, clusterType, found: report.addons },
    ...(options.through !== undefined && { way: options.through }),
  });
  return {
    ...plan,
    cluster,
    clusterType,
    argo: { namespace: argoNamespace(report.addons), project: profile.argocd.project },
  };
}

async function readValues(
  { terminal }: CommandContext,
  given: readonly string[] = [],
): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const each of given) {
    const [addon, file] = splitPair(each, "--values ADDON=FILE");
    const told = { what: "Helm values", example: "They are written like: {grafana: {enabled: false}}" };
    values.set(addon, await readMap(terminal, file, told));
  }
  return values;
}

function readMirrors(given: readonly string[] = []): Mirrors {
  return given.map((each) => {
    const [from, to] = splitPair(each, "--mirror FROM=TO");
    return { from, to };
  });
}

function splitPair(text: string, shape: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0 || at === text.length - 1) throw usage(`'${text}' has another shape than expected.`, `Write ${shape}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function argoNamespace(found: readonly AddonReport[]): string {
  const workload = found.find(({ id }) => id === "argocd")?.installation.components[0]?.workloads[0];
  return workload?.ref.namespace ?? "argocd";
}
