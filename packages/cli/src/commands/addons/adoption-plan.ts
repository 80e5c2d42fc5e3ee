// Finds out what taking over a release would change. An adoption may change nothing.
import type { AddonReport, AdoptionStep, ArgoFacts, InstalledChart, InstallWay, Report } from "@fairlead/doctor";
import { Fields } from "@fairlead/kernel";
import { getObject } from "@fairlead/kube";
import { type Charts, readManifest } from "../../charts/index.ts";
import type { CommandContext } from "../../context.ts";
import { type ChartOptions, readMirrors, readValues } from "./chart-options.ts";
import { type ClusterView, openClusterView, type ReleasePlace, type ReleaseThere } from "./cluster-view.ts";
import { compareObjects } from "./compare-objects.ts";
import { examineThroughHub } from "./examine-through-hub.ts";
import { argoNamespace } from "./make-plan.ts";
import type { PlannedUpgrade } from "./upgrade-plan.ts";

export interface ClusterAdoption extends Pick<PlannedUpgrade, "digest" | "objects" | "doubts" | "secretValues"> {
  readonly cluster: string;
  readonly step: AdoptionStep;
  readonly revisions: number;
  readonly argo: { readonly namespace: string; readonly project: string };
}

export async function planClusterAdoption(
  context: CommandContext,
  request: {
    readonly cluster: string;
    readonly addon: string;
    readonly options: ChartOptions & { readonly through?: InstallWay };
    readonly charts: Charts;
  },
): Promise<ClusterAdoption> {
  const { cluster, addon: id, options, charts } = request;
  const ownValues = (await readValues(context, options.values)).get(id);
  const { catalogue, installErrors, planAdoption, findSecretValues } = await import("@fairlead/doctor");
  const { report, profile } = await examineThroughHub(context, { cluster, options });
  const addon = catalogue.find((each) => each.id === id);
  const found = report.addons.find((each) => each.id === id);
  if (!addon || !found) throw installErrors.ADDON_UNKNOWN({ addon: id });
  await using view = await openClusterView(context, cluster);
  const place = await placeOfRelease(view, found);
  const there = await view.readRelease(place);
  if (!there) throw installErrors.ADDON_NOT_ADOPTABLE({ addon: id, why: "Helm has no record of its release" });
  const argo = { namespace: argoNamespace(report.addons), project: profile.argocd.project };
  const step = planAdoption({
    addon,
    installed: toInstalled(there, place),
    way: options.through,
    ownValues,
    argo: await readArgoFacts(view, report, argo.namespace),
    mirrors: readMirrors(options.mirror),
  });
  const rendering = { release: place.release, namespace: place.namespace, values: step.values, hasCrds: false };
  const { digest } = await charts.fetch(step.chart);
  const after = await charts.render({ ...rendering, source: step.chart, capabilities: view.capabilities });
  const before = readManifest(there.release.manifest);
  return {
    ...(await compareObjects(view, { before, after, namespace: place.namespace })),
    cluster,
    step,
    digest,
    argo,
    revisions: there.revisions,
    secretValues: findSecretValues(step.values, after),
  };
}

/**
 * Finds Helm's release, also after an adoption that was cut off when some objects had Argo CD's mark already. Throws
 * ADDON_NOT_ADOPTABLE for everything else.
 */
async function placeOfRelease(view: ClusterView, { id, installation, message }: AddonReport): Promise<ReleasePlace> {
  const { installErrors, readApplication } = await import("@fairlead/doctor");
  const { presence, provenance } = installation;
  const because = (why: string) => installErrors.ADDON_NOT_ADOPTABLE({ addon: id, why });
  if (presence.is !== "installed") throw because(message.replace(/\.$/, ""));
  if (provenance?.is === "helm") return { namespace: provenance.namespace, release: provenance.release };
  if (provenance?.is !== "argocd") throw because("no Helm release installed it");
  const ref = provenance.application;
  const application = ref && (await view.getApplication({ namespace: ref.namespace ?? "argocd", name: ref.name }));
  const isOurs = application?.metadata.labels?.["fairlead.dev/addon"] === id;
  const read = isOurs ? readApplication(application) : undefined;
  if (read?.is !== "chart") throw because("Argo CD already manages it");
  const place = { namespace: read.installed.namespace, release: read.installed.release };
  if (!(await view.readRelease(place))) throw because("Argo CD already manages it");
  return place;
}

function toInstalled({ release, isSettled }: ReleaseThere, place: ReleasePlace): InstalledChart {
  const { chart, values } = release;
  return { way: "helm", chart: chart.name, version: chart.version, values, isSettled, ...place };
}

/** Undefined where Argo CD doesn't run. */
async function readArgoFacts(view: ClusterView, report: Report, namespace: string): Promise<ArgoFacts | undefined> {
  const argo = report.addons.find(({ id }) => id === "argocd");
  if (argo?.state !== "healthy" && argo?.state !== "misconfigured") return undefined;
  const resource = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
  const settings = await getObject({ client: view.client, resource, namespace, name: "argocd-cm" });
  return {
    version: argo.installation.version,
    tracking: new Fields(settings).at("data", "application.resourceTrackingMethod").text(),
  };
}
