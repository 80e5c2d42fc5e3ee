import { Fields } from "@fairlead/kernel";
import { type ClusterObject, formatRef, type ObjectRef, refTo, type Snapshot } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import { chartOf } from "./chart-label.ts";
import type { Provenance } from "./installation.ts";

/** Finds out which tool put a workload there. Flux and Argo CD leave Helm's marks, too, so they are asked first. */
export function readProvenance({ object }: Workload, snapshot: Snapshot): Provenance {
  const labels = new Fields(object).at("metadata", "labels");
  const annotations = new Fields(object).at("metadata", "annotations");
  const tracked = argoApplication(labels, annotations);
  if (tracked !== undefined) return { is: "argocd", application: findApplication(tracked, snapshot) };
  const application = renderingApplication({ labels, annotations, snapshot });
  if (application) return { is: "argocd", application };
  const helmRelease = labels.at("helm.toolkit.fluxcd.io/name").text();
  if (helmRelease !== undefined) return { is: "flux", helmRelease };
  const kustomization = labels.at("kustomize.toolkit.fluxcd.io/name").text();
  if (kustomization !== undefined) return { is: "flux", kustomization };
  const owner = labels.at("olm.owner").text();
  if (owner !== undefined) return { is: "olm", owner };
  const provider = providerOf(labels);
  if (provider !== undefined) return { is: "provider", by: provider };
  return releaseOf(object) ?? { is: "manifests" };
}

/** The tracking annotation is `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; the label holds the name alone. */
function argoApplication(labels: Fields, annotations: Fields): string | undefined {
  const tracked = annotations.at("argocd.argoproj.io/tracking-id").text()?.split(":")[0];
  return tracked ?? labels.at("argocd.argoproj.io/instance").text();
}

/** An application outside of Argo CD's own namespace is tracked as `NAMESPACE_NAME`. */
function findApplication(tracked: string, snapshot: Snapshot): ObjectRef | undefined {
  return firstApplication(
    snapshot,
    ({ metadata: { namespace, name } }) => name === tracked || `${namespace}_${name}` === tracked,
  );
}

/**
 * Older ones track by the label `app.kubernetes.io/instance`, which charts write too. Helm itself leaves its annotation, so
 * that without it an application of that name, and of the same chart, made the object.
 */
function renderingApplication(options: {
  readonly labels: Fields;
  readonly annotations: Fields;
  readonly snapshot: Snapshot;
}): ObjectRef | undefined {
  const { labels, annotations, snapshot } = options;
  const instance = labels.at("app.kubernetes.io/instance").text();
  if (instance === undefined || annotations.at("meta.helm.sh/release-name").exists) return undefined;
  const chart = chartOf(labels)?.name;
  return firstApplication(
    snapshot,
    (application) => application.metadata.name === instance && (chart === undefined || mayRender(application, chart)),
  );
}

/** A source without a chart is a folder of a repository, which may hold any. */
function mayRender(application: ClusterObject, chart: string): boolean {
  const spec = new Fields(application).at("spec");
  const charts = [...[spec.at("source")].filter(({ exists }) => exists), ...spec.at("sources").list()].map((source) =>
    source.at("chart").text(),
  );
  return charts.some((each) => each === undefined || each === chart);
}

function firstApplication(
  snapshot: Snapshot,
  isWanted: (application: ClusterObject) => boolean,
): ObjectRef | undefined {
  const resource = "applications.argoproj.io";
  return snapshot
    .listSeen(resource)
    .filter(isWanted)
    .map((application) => refTo(resource, application))
    .toSorted((one, other) => (formatRef(one) < formatRef(other) ? -1 : 1))[0];
}

function providerOf(labels: Fields): string | undefined {
  if (labels.at("app.kubernetes.io/managed-by").text() === "EKS") return "EKS";
  if (labels.at("kubernetes.azure.com/managedby").exists) return "AKS";
  if (labels.at("addonmanager.kubernetes.io/mode").exists) return "the provider's addon manager";
  if (labels.at("objectset.rio.cattle.io/hash").exists) return "k3s";
  return undefined;
}

/** Helm writes the annotations when it installs. `helm template` writes labels alone, and makes no release. */
function releaseOf({ metadata }: ClusterObject): Provenance | undefined {
  const annotations = new Fields(metadata).at("annotations");
  const release = annotations.at("meta.helm.sh/release-name").text();
  if (release === undefined) return undefined;
  const chart = chartOf(new Fields(metadata).at("labels"));
  return {
    is: "helm",
    namespace: annotations.at("meta.helm.sh/release-namespace").text() ?? metadata.namespace ?? "default",
    release,
    ...(chart && { chart: chart.version === undefined ? chart.name : `${chart.name}-${chart.version}` }),
  };
}
