import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type Check, type CheckInput, destructive, type Fix, fail, few, pass } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { type Evidence, isPlanned, needRunning, refTo, type Snapshot } from "../snapshot/index.ts";
import { optionalEverywhere } from "./need.ts";

const apiServices = "apiservices.apiregistration.k8s.io";
const apiName = "v1beta1.metrics.k8s.io";
const nodeMetrics = "nodes.metrics.k8s.io";

const apiServiceCheck: Check = {
  id: "metrics-server.api-service",
  title: "The API server answers questions for the use of CPU and memory",
  why: [
    "Autoscaling by CPU and `kubectl top` ask the API `metrics.k8s.io`, which the API server hands on to metrics-server. The usual",
    "reason why it isn't available is that kubelets have certificates which metrics-server doesn't trust.",
  ].join("\n"),
  severity: "required",
  features: ["autoscaling-by-cpu"],
  judge(input) {
    const service = input.snapshot.list(apiServices).find(({ metadata }) => metadata.name === apiName);
    const condition = new Fields(service).condition("Available");
    const observed = condition
      ? `${condition.status}: ${condition.message ?? ""}`
      : service
        ? "no status"
        : "no such APIService";
    const evidence: Evidence = {
      object: { resource: apiServices, name: apiName },
      path: "status.conditions[Available]",
      observed: observed.slice(0, 500),
      expected: "True",
    };
    if (condition?.status === "True") return pass("It does.", [evidence]);
    if (service) needRunning(apiServices, [service]);
    if (service) return fail("The API for metrics isn't available.", [evidence], fixAvailability(input));
    return fail("Nothing hands the API for metrics on to metrics-server.", [evidence], registerApi(input));
  },
};

const rowsCheck: Check = {
  id: "metrics-server.rows",
  title: "Every node reports its use of CPU and memory",
  why: "A node that metrics-server can't ask has no row, and autoscaling by CPU leaves its pods out.",
  severity: "recommended",
  features: ["autoscaling-by-cpu"],
  // They are no objects that are kept: only a reader that asked for them has any.
  appliesTo: ({ snapshot }) => snapshot.look(nodeMetrics).is === "seen",
  judge({ snapshot }) {
    const reported = new Set(snapshot.list(nodeMetrics).map(({ metadata }) => metadata.name));
    const silent = snapshot.list("nodes").filter(({ metadata }) => !reported.has(metadata.name));
    if (silent.length === 0 && reported.size > 0) return pass(`${reported.size} nodes do.`);
    const evidence = few(silent).map(
      (node): Evidence => ({
        object: refTo("nodes", node),
        path: "usage",
        observed: "no row",
        expected: "a row in nodes.metrics.k8s.io",
      }),
    );
    return fail(`${silent.length} nodes report nothing.`, evidence);
  },
};

export const metricsServer: Addon = {
  id: "metrics-server",
  title: "metrics-server",
  need: { ...optionalEverywhere, eks: "essential" },
  signals: {
    resources: [],
    // Providers bring it under paths of their own, of which only the last part is the same.
    components: [{ name: "metrics-server", isEssential: true, images: ["metrics-server", "mirrored-metrics-server"] }],
    providerManaged: findProvider,
  },
  checks: [apiServiceCheck, rowsCheck],
  unlocks: ["autoscaling-by-cpu"],
  install: {
    chart: "metrics-server",
    repository: "https://kubernetes-sigs.github.io/metrics-server",
    version: "3.13.0",
    versionRange: ">=3.8.0 <4.0.0",
    namespace: "kube-system",
    release: "metrics-server",
    order: 0,
    after: [],
    values: ({ clusterType }) => ({
      replicas: 2,
      podDisruptionBudget: { enabled: true, minAvailable: 1 },
      // On EKS port 10250 of a node's network belongs to its kubelet.
      ...(clusterType === "eks" && { containerPort: 4443 }),
    }),
  },
};

/** Another program may serve the same API, such as an adapter of Prometheus. One that doesn't answer is what is left of it. */
function findProvider(snapshot: Snapshot): string | undefined {
  const found = snapshot.list(apiServices).find(({ metadata }) => metadata.name === apiName);
  const fields = new Fields(found);
  const service = fields.at("spec", "service");
  if (!found || !service.exists) return undefined;
  // Assume that a planned server will answer.
  if (!isPlanned(found) && fields.condition("Available")?.status !== "True") return undefined;
  return `Service ${service.at("namespace").text()}/${service.at("name").text()}`;
}

function fixAvailability({ installation }: CheckInput): Fix | undefined {
  const { provenance } = installation;
  const chart = "metrics-server";
  const values = { args: ["--kubelet-insecure-tls"] };
  if (provenance?.is === "helm") {
    return {
      is: "helm-values",
      risk: unverified,
      chart,
      release: { namespace: provenance.namespace, name: provenance.release },
      values,
    };
  }
  return provenance?.is === "argocd" || provenance?.is === "flux"
    ? { is: "helm-values", risk: unverified, chart, values }
    : undefined;
}

function registerApi({ installation }: CheckInput): Fix | undefined {
  const [workload] = workloadsOf(installation, "metrics-server");
  if (!workload) return undefined;
  const { name, namespace = "kube-system" } = workload.ref;
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { name, namespace, port: 443 },
  };
  const object = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: apiName }, spec };
  return { is: "manifest", risk: unchecked, objects: [object] };
}

const unverified = destructive("metrics-server then talks to kubelets without checking who they are.");
const unchecked = destructive("The API server then asks metrics-server without checking who it is.");
