import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import {
  type CheckInput,
  destructive,
  everywhere,
  type Fix,
  fail,
  fixBy,
  kubectl,
  pass,
  type Risk,
  safe,
  script,
  unknown,
  type Verdict,
} from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import {
  type ClusterObject,
  type Evidence,
  listByName,
  matchesLabels,
  needRunning,
  readTextMap,
  type Snapshot,
} from "../snapshot/index.ts";
import { containersOf, readEnv, type Workload } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

export const keda: Addon = {
  id: "keda",
  title: "KEDA",
  need: optionalEverywhere,
  signals: {
    resources: ["scaledobjects.keda.sh", "scaledjobs.keda.sh"],
    components: [
      { name: "operator", isEssential: true, images: ["kedacore/keda"] },
      { name: "metrics-apiserver", isEssential: true, images: ["kedacore/keda-metrics-apiserver"] },
      { name: "admission-webhooks", isEssential: false, images: ["kedacore/keda-admission-webhooks"] },
    ],
  },
  checks: [
    {
      id: "keda.external-metrics",
      title: "KEDA serves the cluster's external metrics",
      why: "A cluster has one server of external metrics. Where another one owns that API, or KEDA's doesn't answer, autoscalers that KEDA made get no metrics and stay at the size they have.",
      severity: "required",
      features: ["autoscaling-by-events", "autoscaling-by-requests"],
      judge: judgeExternalMetrics,
    },
    {
      id: "keda.watched-namespaces",
      title: "KEDA watches all namespaces",
      why: "With `WATCH_NAMESPACE` set, KEDA ignores the ScaledObjects of all other namespaces without a word.",
      severity: "required",
      features: ["autoscaling-by-events", "autoscaling-by-requests"],
      judge: judgeWatchedNamespaces,
    },
  ],
  unlocks: ["autoscaling-by-events", "autoscaling-by-requests"],
  install: {
    chart: "keda",
    repository: "https://kedacore.github.io/charts",
    version: "2.19.0",
    versionRange: ">=2.14.0 <3.0.0",
    isVersionOfProgram: true,
    namespace: "keda",
    release: "keda",
    order: 0,
    after: [],
    values: () => ({}),
  },
};

const apiServices = "apiservices.apiregistration.k8s.io";
const externalMetrics = "v1beta1.external.metrics.k8s.io";

function judgeExternalMetrics({ snapshot, installation }: CheckInput): Verdict {
  const [server] = workloadsOf(installation, "metrics-apiserver");
  if (!server) return fail("KEDA's metrics API server isn't there.", []);
  const api = snapshot.list(apiServices).find(({ metadata }) => metadata.name === externalMetrics);
  if (!api)
    return fail(
      "Nothing serves external metrics.",
      [evidenceOf("metadata.name", "no such object")],
      register(server, safe),
    );

  const service = new Fields(api).at("spec", "service");
  const owner = `${service.at("namespace").text()}/${service.at("name").text()}`;
  if (!isServedBy({ snapshot, service, server })) {
    const message = `${owner} owns the API of external metrics, not KEDA. Remove that adapter, or take KEDA's triggers in its place.`;
    const risk = destructive(`${owner} no longer serves external metrics, and autoscalers that use them stop scaling.`);
    return fail(message, [evidenceOf("spec.service", owner)], register(server, risk));
  }
  const available = new Fields(api).condition("Available");
  if (available?.status === "True") return pass(`${owner} serves external metrics.`);
  needRunning(apiServices, [api]);
  const observed = `${available?.status ?? "Unknown"}: ${available?.message ?? "no condition"}`;
  const { namespace = "default" } = server.ref;
  const restart = kubectl({ verb: ["rollout", "restart"], namespace, args: [`deployment/${server.ref.name}`] });
  return fail(
    "KEDA's server of external metrics doesn't answer.",
    [{ ...evidenceOf("status.conditions[Available]", observed), expected: "True" }],
    { is: "command", risk: safe, command: script([restart]) },
  );
}

function evidenceOf(path: string, observed: string): Evidence {
  return { object: { resource: apiServices, name: externalMetrics }, path, observed, expected: "the Service of KEDA" };
}

/** The Service has the name of KEDA's Deployment in all known shapes; elsewhere its selector tells. */
function isServedBy(options: {
  readonly snapshot: Snapshot;
  readonly service: Fields;
  readonly server: Workload;
}): boolean {
  const { snapshot, service, server } = options;
  const name = service.at("name").text();
  if (service.at("namespace").text() !== server.ref.namespace) return false;
  if (name === server.ref.name) return true;
  const found = listByName(snapshot, "services").find(
    ({ metadata }) => metadata.namespace === server.ref.namespace && metadata.name === name,
  );
  return found !== undefined && selectsPodsOf(found, server);
}

function selectsPodsOf(service: ClusterObject, { object }: Workload): boolean {
  const selector = readTextMap(new Fields(service).at("spec", "selector"));
  const labels = readTextMap(new Fields(object).at("spec", "template", "metadata", "labels"));
  return Object.keys(selector).length > 0 && matchesLabels(labels, selector);
}

function register({ ref }: Workload, risk: Risk): Fix {
  const spec = {
    group: "external.metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: ref.namespace, name: ref.name },
  };
  const metadata = { name: externalMetrics };
  return {
    is: "manifest",
    risk,
    objects: [{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata, spec }],
  };
}

function judgeWatchedNamespaces({ installation }: CheckInput): Verdict {
  const workloads = ["operator", "metrics-apiserver"].flatMap((name) => workloadsOf(installation, name));
  for (const { workload, container } of containersOf(workloads)) {
    const watched = readEnv(container, "WATCH_NAMESPACE");
    if (watched.is === "elsewhere") return unknown("KEDA takes the namespaces that it watches from another object.");
    if (watched.is === "unset" || watched.value === "") continue;
    const env = [{ name: "WATCH_NAMESPACE", value: "" }];
    const patch = { spec: { template: { spec: { containers: [{ name: container.name, env }] } } } };
    return fail(
      `KEDA watches ${watched.value} alone.`,
      [
        {
          object: workload.ref,
          path: `${container.path}.env[WATCH_NAMESPACE]`,
          observed: watched.value,
          expected: "nothing, which stands for all namespaces",
        },
      ],
      fixBy({
        installation,
        chart: "keda",
        values: { watchNamespace: "" },
        otherwise: { is: "patch", risk: everywhere("KEDA"), object: workload.ref, type: "strategic", patch },
      }),
    );
  }
  return pass("KEDA watches all namespaces.");
}
