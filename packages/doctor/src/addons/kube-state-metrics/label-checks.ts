import {
  type Check,
  type CheckInput,
  type Fix,
  fail,
  few,
  pass,
  safe,
  unknown,
  type Verdict,
} from "../../checks/index.ts";
import type { ClusterType } from "../../cluster-type/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { type Container, isImage, readFlag, type Workload } from "../../workloads/index.ts";
import { type AllowList, isExported, parseAllowList } from "./allow-list.ts";
import { findTypo } from "./find-typo.ts";

export const imageOfExporter = "kube-state-metrics/kube-state-metrics";

export const podLabelsCheck: Check = {
  id: "kube-state-metrics.pod-labels",
  title: "Metrics of pods carry the labels that say which application they belong to",
  why: [
    "Charts and alerts of an application join metrics with `kube_pod_labels`. kube-state-metrics exports no label that",
    "isn't in `--metric-labels-allowlist`. The Helm value is `metricLabelsAllowlist`; `metricsLabelsAllowlist`, which is",
    "often copied, is ignored without a word. `pods=[*]` exports all labels only if `*` comes first.",
  ].join("\n"),
  severity: "required",
  features: ["metrics", "alerts", "autoscaling-by-requests"],
  judge: (input) => judgeLabels(input, "pods", input.profile.kubeStateMetrics.podLabels),
};

export const nodeLabelsCheck: Check = {
  id: "kube-state-metrics.node-labels",
  title: "Metrics of nodes carry their instance type and whether they are spot instances",
  why: "Costs and the charts of node pools join metrics with `kube_node_labels`. Labels of other clouds are not asked for.",
  severity: "recommended",
  features: ["metrics"],
  judge: (input) =>
    judgeLabels(
      input,
      "nodes",
      input.profile.kubeStateMetrics.nodeLabels.filter((key) => isOfCluster(key, input.clusterType)),
    ),
};

/** A cluster that belongs to no known cloud is asked for all labels: they do no harm. */
function isOfCluster(key: string, clusterType: ClusterType): boolean {
  if (clusterType === "generic") return true;
  const owner = clouds.find(({ prefix }) => key.startsWith(prefix));
  return !owner || owner.types.includes(clusterType);
}

const clouds: readonly { readonly prefix: string; readonly types: readonly ClusterType[] }[] = [
  { prefix: "eks.amazonaws.com/", types: ["eks"] },
  { prefix: "karpenter.", types: ["eks", "aks"] },
  { prefix: "kubernetes.azure.com/", types: ["aks"] },
  { prefix: "cloud.google.com/", types: ["gke"] },
];

/** Shards and further instances export to the same Prometheus, so that a label which one of them exports is there. */
function judgeLabels(input: CheckInput, resource: string, wanted: readonly string[]): Verdict {
  const exporters = workloadsOf(input.installation, "exporter").flatMap((workload) =>
    workload.containers
      .filter(({ image }) => isImage(image, imageOfExporter) || workload.containers.length === 1)
      .map((container) => readExporter(workload, container, resource)),
  );
  const missing = wanted.filter((key) => !exporters.some(({ list }) => list && isExported(list, resource, key)));
  const evidence = few(exporters).map((each) => toEvidence(each, resource, wanted));
  if (missing.length === 0) return pass(`All labels of ${resource} that are asked for are exported.`, evidence);
  const configured = exporters.find(({ configFile }) => configFile !== undefined);
  if (configured) return unknown(`Its labels may be set in the file ${configured.configFile}, which can't be read.`);
  const typo = findTypo(input);
  const hint = typo ? " The value metricsLabelsAllowlist is ignored: its name is metricLabelsAllowlist." : "";
  const message = `Metrics of ${resource} lack the labels ${missing.join(", ")}.${hint}`;
  return fail(message, typo ? [typo, ...evidence] : evidence, fixFor(input, exporters[0]));
}

interface Exporter {
  readonly workload: Workload;
  readonly container: Container;
  readonly flag: string | undefined;
  /** Undefined when the flag can't be read, or the resource isn't exported at all. */
  readonly list: AllowList | undefined;
  readonly configFile: string | undefined;
}

function readExporter(workload: Workload, container: Container, resource: string): Exporter {
  const flag = readFlag(container, "metric-labels-allowlist");
  const resources = readFlag(container, "resources")?.split(",");
  const isRead = resources === undefined || resources.some((each) => each.trim() === resource);
  const list = isRead ? parseAllowList(flag ?? "") : undefined;
  return { workload, container, flag, list, configFile: readFlag(container, "config") };
}

function toEvidence(
  { workload, container, flag, list }: Exporter,
  resource: string,
  wanted: readonly string[],
): Evidence {
  const written = flag === undefined ? "no --metric-labels-allowlist" : `--metric-labels-allowlist=${flag}`;
  const note = list === undefined ? ` (can't be read, or --resources leaves ${resource} out)` : "";
  return {
    object: workload.ref,
    path: `${container.path}.args`,
    observed: `${written}${note}`.slice(0, 1000),
    expected: `${resource}=[${wanted.join(",")}]`,
  };
}

/** Both lists: Helm replaces the value whole. What is exported today stays. */
function fixFor({ installation, profile }: CheckInput, exporter: Exporter | undefined): Fix | undefined {
  if (!exporter) return undefined;
  const { podLabels, nodeLabels } = profile.kubeStateMetrics;
  const before = parseAllowList(exporter.flag ?? "") ?? new Map<string, readonly string[]>();
  const wanted = new Map<string, readonly string[]>([
    ...before,
    ["pods", union(before.get("pods"), podLabels)],
    ["nodes", union(before.get("nodes"), nodeLabels)],
  ]);
  wanted.delete("*");
  const entries = [...wanted].map(([resource, keys]) => `${resource}=[${keys.join(",")}]`);
  const { provenance } = installation;
  if (provenance?.is === "helm" || provenance?.is === "argocd" || provenance?.is === "flux") {
    return { is: "helm-values", risk: safe, ...placeOf(exporter, provenance), values: valuesFor(exporter, entries) };
  }
  const args = [...ownArgs(exporter), `--metric-labels-allowlist=${entries.join(",")}`];
  const patch = { spec: { template: { spec: { containers: [{ name: exporter.container.name, args }] } } } };
  return { is: "patch", risk: safe, object: exporter.workload.ref, type: "strategic", patch };
}

function union(before: readonly string[] = [], wanted: readonly string[]): string[] {
  return [...new Set([...before.filter((key) => key !== "*"), ...wanted])];
}

type Installer = NonNullable<CheckInput["installation"]["provenance"]>;

/** kube-prometheus-stack brings kube-state-metrics along, and marks it with the release's label. */
function placeOf(exporter: Exporter, provenance: Installer): Pick<Fix & { is: "helm-values" }, "chart" | "release"> {
  const chart = isOfStack(exporter) ? "kube-prometheus-stack" : "kube-state-metrics";
  if (provenance.is !== "helm") return { chart };
  return { chart, release: { namespace: provenance.namespace, name: provenance.release } };
}

function valuesFor(exporter: Exporter, entries: readonly string[]): unknown {
  const values = { metricLabelsAllowlist: entries };
  return isOfStack(exporter) ? { "kube-state-metrics": values } : values;
}

function isOfStack({ workload }: Exporter): boolean {
  return workload.object.metadata.labels?.["release"] !== undefined;
}

/** A strategic patch replaces the list, and a flag that stands twice would be an accident. */
function ownArgs({ workload, container }: Exporter): string[] {
  const spec = workload.object["spec"] as { template: { spec: { containers: { name: string; args?: string[] }[] } } };
  const args = spec.template.spec.containers.find(({ name }) => name === container.name)?.args ?? [];
  return args.filter(
    (word, index) => !/^--metric-labels-allowlist(=|$)/.test(word) && args[index - 1] !== "--metric-labels-allowlist",
  );
}
