import { Fields } from "@fairlead/kernel";
import type { ObjectRef, Snapshot } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import { chartOf } from "./chart-label.ts";
import type { Provenance } from "./installation.ts";

/** Who put a workload there. Flux and Argo CD leave Helm's marks too, so they are asked first. */
export function readProvenance({ object }: Workload, snapshot: Snapshot): Provenance {
  const labels = new Fields(object).at("metadata", "labels");
  const annotations = new Fields(object).at("metadata", "annotations");
  const application = argoApplication(labels, annotations);
  if (application !== undefined) return { is: "argocd", application: findApplication(application, snapshot) };
  const flux = labels.at("helm.toolkit.fluxcd.io/name").text();
  if (flux !== undefined) return { is: "flux", helmRelease: flux };
  const olm = labels.at("olm.owner").text();
  if (olm !== undefined) return { is: "olm", owner: olm };
  const provider = providerOf(labels);
  if (provider !== undefined) return { is: "provider", by: provider };
  return helmRelease(labels, annotations, object.metadata.namespace) ?? { is: "manifests" };
}

/** The tracking annotation is `APPLICATION:GROUP/KIND:NAMESPACE/NAME`; the label holds the name alone. */
function argoApplication(labels: Fields, annotations: Fields): string | undefined {
  const tracked = annotations.at("argocd.argoproj.io/tracking-id").text()?.split(":")[0];
  return tracked ?? labels.at("argocd.argoproj.io/instance").text();
}

/** An application outside of Argo CD's own namespace is tracked as `NAMESPACE_NAME`. */
function findApplication(tracked: string, snapshot: Snapshot): ObjectRef | undefined {
  const resource = "applications.argoproj.io";
  const found = snapshot
    .listSeen(resource)
    .map(({ metadata }) => metadata)
    .filter(({ namespace, name }) => name === tracked || `${namespace}_${name}` === tracked)
    .toSorted((one, other) => (`${one.namespace}/${one.name}` < `${other.namespace}/${other.name}` ? -1 : 1));
  const [first] = found;
  return first && { resource, name: first.name, ...(first.namespace !== undefined && { namespace: first.namespace }) };
}

function providerOf(labels: Fields): string | undefined {
  if (labels.at("app.kubernetes.io/managed-by").text() === "EKS") return "EKS";
  if (labels.at("kubernetes.azure.com/managedby").exists) return "AKS";
  if (labels.at("addonmanager.kubernetes.io/mode").exists) return "the provider's addon manager";
  if (labels.at("objectset.rio.cattle.io/hash").exists) return "k3s";
  return undefined;
}

function helmRelease(labels: Fields, annotations: Fields, namespace: string | undefined): Provenance | undefined {
  const isHelm = [labels.at("app.kubernetes.io/managed-by"), labels.at("heritage")].some(
    (label) => label.text() === "Helm",
  );
  const release = annotations.at("meta.helm.sh/release-name").text();
  if (!isHelm && release === undefined) return undefined;
  const chart = chartOf(labels);
  return {
    is: "helm",
    namespace: annotations.at("meta.helm.sh/release-namespace").text() ?? namespace ?? "default",
    release: release ?? labels.at("app.kubernetes.io/instance").text() ?? labels.at("release").text() ?? "",
    ...(chart && { chart: chart.version === undefined ? chart.name : `${chart.name}-${chart.version}` }),
  };
}
