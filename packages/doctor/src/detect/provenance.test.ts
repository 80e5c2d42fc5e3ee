import { expect, test } from "vitest";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { deployment } from "../testing/deployment.fixture.ts";
import { readWorkloads } from "../workloads/index.ts";
import type { Provenance } from "./installation.ts";
import { readProvenance } from "./provenance.ts";

type Marks = Readonly<Record<string, string>>;

const helm: Marks = {
  "app.kubernetes.io/managed-by": "Helm",
  "app.kubernetes.io/instance": "thing",
  "helm.sh/chart": "thing-1.2.3",
};
const release: Marks = { "meta.helm.sh/release-name": "mine", "meta.helm.sh/release-namespace": "tools" };
const application = { resource: "applications.argoproj.io", namespace: "argocd", name: "thing" };

test.each<[string, { readonly labels?: Marks; readonly annotations?: Marks }, Provenance]>([
  ["nobody left a mark", {}, { is: "manifests" }],
  [
    "Helm",
    { labels: helm, annotations: release },
    { is: "helm", namespace: "tools", release: "mine", chart: "thing-1.2.3" },
  ],
  [
    "Helm, in the namespace of the object where nothing else is said",
    { labels: helm, annotations: { "meta.helm.sh/release-name": "mine" } },
    { is: "helm", namespace: "somewhere", release: "mine", chart: "thing-1.2.3" },
  ],
  ["nobody, of what `helm template` rendered and kubectl applied", { labels: helm }, { is: "manifests" }],
  [
    "nobody, of what an older chart rendered and kubectl applied",
    { labels: { heritage: "Helm", release: "old", chart: "thing-0.9.0" } },
    { is: "manifests" },
  ],
  ["OLM", { labels: { "olm.owner": "thing.v1.2.3" } }, { is: "olm", owner: "thing.v1.2.3" }],
  [
    "Flux, which uses Helm",
    { labels: { ...helm, "helm.toolkit.fluxcd.io/name": "thing" }, annotations: release },
    { is: "flux", helmRelease: "thing" },
  ],
  [
    "Flux, of a folder",
    { labels: { "kustomize.toolkit.fluxcd.io/name": "tools" } },
    { is: "flux", kustomization: "tools" },
  ],
  ["EKS", { labels: { "app.kubernetes.io/managed-by": "EKS" } }, { is: "provider", by: "EKS" }],
  ["AKS", { labels: { "kubernetes.azure.com/managedby": "aks" } }, { is: "provider", by: "AKS" }],
])("%s", (_name, marks, provenance) => {
  expect(provenanceOf(marks)).toEqual(provenance);
});

test.each<[string, { readonly labels?: Marks; readonly annotations?: Marks }]>([
  ["by its annotation", { annotations: { "argocd.argoproj.io/tracking-id": "thing:apps/Deployment:somewhere/thing" } }],
  ["by its annotation, with the namespace", { annotations: { "argocd.argoproj.io/tracking-id": "argocd_thing:a:b" } }],
  ["by its label", { labels: { ...helm, "argocd.argoproj.io/instance": "thing" } }],
  ["by the label that it shares with charts, as older ones do", { labels: helm }],
])("Argo CD, %s", (_name, marks) => {
  expect(provenanceOf(marks, [applicationOf({ chart: "thing" })])).toEqual({ is: "argocd", application });
});

test.each([
  ["of the same name, of another chart, isn't its maker", helm, {}, { chart: "other" }, "manifests"],
  ["of the same name isn't the maker of what Helm installed", helm, release, { chart: "thing" }, "helm"],
])("an application %s", (_name, labels, annotations, source, is) => {
  expect(provenanceOf({ labels, annotations }, [applicationOf(source)])).toMatchObject({ is });
});

test("an application that can't be found leaves Argo CD as the maker", () => {
  const labels = { "argocd.argoproj.io/instance": "gone" };
  expect(provenanceOf({ labels })).toEqual({ is: "argocd", application: undefined });
});

function provenanceOf(
  marks: { readonly labels?: Marks; readonly annotations?: Marks },
  others: readonly ClusterObject[] = [],
): Provenance {
  const objects = [deployment({ name: "thing", image: "thing:v1", ...marks }), ...others];
  const snapshot = snapshotOfObjects({ objects, isComplete: true });
  const [workload] = readWorkloads(snapshot);
  if (!workload) throw new Error("the workload isn't in the snapshot");
  return readProvenance(workload, snapshot);
}

function applicationOf(source: object): ClusterObject {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "thing", namespace: "argocd" },
    spec: { source },
  };
}
