// Examines a cluster through the hub, and plans the installation of the addons that it lacks. The plan is made anew
// each time: nothing is kept between a plan that was shown and the installation.
import type { AddonReport, ClusterType, InstallPlan, InstallStep, InstallWay } from "@fairlead/doctor";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { addChartOptions, addImageOption, type ChartOptions, readMirrors, readValues } from "./chart-options.ts";
import { examineThroughHub } from "./examine-through-hub.ts";
import { describeFixed, mirrorSteps } from "./mirror-steps.ts";

export interface PlanOptions extends ChartOptions {
  readonly through?: InstallWay;
}

export function addPlanOptions(command: Command): Command {
  return addImageOption(addChartOptions(command)).addOption(
    new Option("--through <way>", "Installer to use (default: argocd where it runs, otherwise helm)").choices([
      "argocd",
      "helm",
    ]),
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
    wanted,
    catalogue,
    ownValues,
    mirrors,
    profile,
    clusterType,
    found: report.addons,
    ...(options.through !== undefined && { way: options.through }),
  });
  return {
    ...plan,
    steps: await takeFromMirror(context, { cluster, steps: plan.steps, registry: options.imageMirror }),
    cluster,
    clusterType,
    argo: { namespace: argoNamespace(report.addons), project: profile.argocd.project },
  };
}

async function takeFromMirror(
  context: CommandContext,
  request: {
    readonly cluster: string;
    readonly steps: readonly InstallStep[];
    readonly registry: string | undefined;
  },
): Promise<readonly InstallStep[]> {
  const { cluster, steps, registry } = request;
  if (registry === undefined) return steps;
  const { openCharts } = await import("../../charts/index.ts");
  const { openClusterView } = await import("./cluster-view.ts");
  await using charts = await openCharts({ signal: context.signal });
  await using view = await openClusterView(context, cluster);
  const found = await mirrorSteps(charts, { steps, registry, capabilities: view.capabilities });
  const fixed = describeFixed(context, found);
  if (fixed !== undefined) context.output.remark(fixed);
  return found.map(({ step }) => step);
}

export function argoNamespace(found: readonly AddonReport[]): string {
  const workload = found.find(({ id }) => id === "argocd")?.installation.components[0]?.workloads[0];
  return workload?.ref.namespace ?? "argocd";
}
