// Plans the upgrade of a cluster, with the three-way difference of the objects for each step. The plan is made anew
// each time, as that of an installation is.
import type {
  AddonReport,
  ClusterObject,
  ClusterType,
  InstalledChart,
  ObjectDifference,
  UpgradePlan,
  UpgradeStep,
} from "@fairlead/doctor";
import { Fields } from "@fairlead/kernel";
import type { ChartSource, Charts } from "../../charts/index.ts";
import type { CommandContext } from "../../context.ts";
import { type ChartOptions, readMirrors, readPairs, readValues } from "./chart-options.ts";
import { type ClusterView, openClusterView } from "./cluster-view.ts";
import { compareObjects } from "./compare-objects.ts";
import { examineThroughHub } from "./examine-through-hub.ts";

export interface ClusterUpgrade extends Omit<UpgradePlan, "steps"> {
  readonly cluster: string;
  readonly clusterType: ClusterType;
  readonly steps: readonly PlannedUpgrade[];
}

export interface PlannedUpgrade extends UpgradeStep {
  /** The digest of the new chart, as commands take it. */
  readonly digest: string | undefined;
  readonly objects: readonly ObjectDifference[];
  /** Slots in the values that hold secrets. */
  readonly secretValues: readonly string[];
  /** The reasons why the difference may lack something, in words. */
  readonly doubts: readonly string[];
}

export async function planClusterUpgrade(
  context: CommandContext,
  request: {
    readonly cluster: string;
    readonly wanted: readonly string[];
    readonly options: ChartOptions;
    readonly charts: Charts;
  },
): Promise<ClusterUpgrade> {
  const { cluster, wanted, options, charts } = request;
  const ownValues = await readValues(context, options.values);
  const { catalogue, planUpgrade } = await import("@fairlead/doctor");
  const { report } = await examineThroughHub(context, { cluster, options });
  await using view = await openClusterView(context, cluster);
  const installed = new Map<string, InstalledChart>();
  for (const id of wanted) {
    const found = await findInstalled(
      view,
      report.addons.find((addon) => addon.id === id),
    );
    if (found) installed.set(id, found);
  }
  const plan = planUpgrade({
    wanted,
    catalogue,
    installed,
    ownValues,
    mirrors: readMirrors(options.mirror),
    versions: readPairs(options.to, "--to ADDON=VERSION"),
  });
  const steps: PlannedUpgrade[] = [];
  for (const step of plan.steps) steps.push({ ...step, ...(await compareStep(step, { view, charts })) });
  return { cluster, clusterType: report.clusterType.type, steps, skipped: plan.skipped };
}

/** Undefined when neither Helm nor Argo CD has put it there. */
async function findInstalled(view: ClusterView, report: AddonReport | undefined): Promise<InstalledChart | undefined> {
  const provenance = report?.installation.provenance;
  if (provenance?.is === "argocd") return await findApplication(view, report, provenance.application);
  if (provenance?.is !== "helm") return undefined;
  const { namespace, release } = provenance;
  const found = await view.readRelease({ namespace, release });
  if (!found) return undefined;
  const { chart, values } = found.release;
  const { name, version } = chart;
  return { way: "helm", chart: name, version, namespace, release, values, isSettled: found.isSettled };
}

async function findApplication(
  view: ClusterView,
  report: AddonReport | undefined,
  ref: { readonly namespace?: string; readonly name: string } | undefined,
): Promise<InstalledChart | undefined> {
  const { readApplication, installErrors } = await import("@fairlead/doctor");
  const application = ref && (await view.getApplication({ namespace: ref.namespace ?? "argocd", name: ref.name }));
  const because = (why: string) => installErrors.ADDON_NOT_UPGRADABLE({ addon: report?.id ?? "", why });
  if (!application) throw because("its application can't be found");
  const read = readApplication(application);
  if (read.is === "other") throw because(read.why);
  return read.installed;
}

async function compareStep(
  step: UpgradeStep,
  { view, charts }: { readonly view: ClusterView; readonly charts: Charts },
): Promise<Pick<PlannedUpgrade, "digest" | "objects" | "doubts" | "secretValues">> {
  const { chart, values, way, from } = step;
  const skipsCrds = new Fields(from.application).at("spec", "source", "helm", "skipCrds").isTrue;
  const hasCrds = way === "argocd" && !skipsCrds;
  const render = (source: ChartSource, given: unknown) =>
    charts.render({
      source,
      values: given,
      hasCrds,
      release: chart.release,
      namespace: chart.namespace,
      capabilities: view.capabilities,
    });
  const { digest } = await charts.fetch(chart);
  const after = await render(chart, values);
  const before = await renderedLast(step, { view, render });
  const compared = await compareObjects(view, { before: before ?? [], after, namespace: chart.namespace });
  const doubts = before
    ? compared.doubts
    : [`the chart ${from.chart} ${from.version} can't be had any more: what was changed by hand isn't known`];
  const { findSecretValues } = await import("@fairlead/doctor");
  return { digest, objects: compared.objects, doubts, secretValues: findSecretValues(values, after) };
}

/** Helm keeps it. What Argo CD has synced is rendered again, since nobody keeps that. */
async function renderedLast(
  { chart, from }: UpgradeStep,
  options: {
    readonly view: ClusterView;
    readonly render: (source: ChartSource, values: unknown) => Promise<readonly ClusterObject[]>;
  },
): Promise<readonly ClusterObject[] | undefined> {
  const { view, render } = options;
  const { chartErrors, readManifest } = await import("../../charts/index.ts");
  if (from.way === "helm") {
    const there = await view.readRelease({ namespace: chart.namespace, release: chart.release });
    return there && readManifest(there.release.manifest);
  }
  try {
    const { version, values } = from.synced ?? from;
    return await render({ ...chart, version }, values);
  } catch (thrown) {
    if (chartErrors.is(thrown, "CLI_ADDON_CHART_MISSING")) return undefined;
    throw thrown;
  }
}
