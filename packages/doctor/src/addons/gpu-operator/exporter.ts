import { Fields } from "@fairlead/kernel";
import { type CheckInput, type Fix, fixBy, pass, safe, type Verdict, warn } from "../../checks/index.ts";
import { type ClusterObject, listByName, matchesLabels, readTextMap, refTo } from "../../snapshot/index.ts";

const monitors = "servicemonitors.monitoring.coreos.com";
const exporter = { app: "nvidia-dcgm-exporter" };

/** Where nothing knows ServiceMonitors, the annotation of the exporter's Service asks for the scrape. */
export function judgeExporter({ snapshot, installation }: CheckInput): Verdict {
  const service = listByName(snapshot, "services").find(
    ({ metadata }) => new Fields(metadata).at("labels", "app").text() === exporter.app,
  );
  if (!service) {
    return warn("There is no Service of the GPU exporter.", [], turnOn(installation));
  }
  const monitor = listByName(snapshot, monitors).find((each) => selects(each, service));
  if (monitor) return pass(`The ServiceMonitor ${monitor.metadata.name} has the exporter scraped.`);
  const annotation = new Fields(service).at("metadata", "annotations", "prometheus.io/scrape").text();
  if (snapshot.isServed(monitors) === "no" && annotation === "true") return pass("Its annotation asks for the scrape.");
  return warn(
    "Nothing has the GPU exporter scraped.",
    [
      {
        object: refTo("services", service),
        path: "metadata.labels",
        observed: JSON.stringify(exporter),
        expected: "a ServiceMonitor that selects it",
      },
    ],
    turnOn(installation, service),
  );
}

function selects(monitor: ClusterObject, service: ClusterObject): boolean {
  const spec = new Fields(monitor).at("spec");
  const labels = readTextMap(new Fields(service).at("metadata", "labels"));
  const selector = readTextMap(spec.at("selector", "matchLabels"));
  if (Object.keys(selector).length === 0 || !matchesLabels(labels, selector)) return false;
  const scope = spec.at("namespaceSelector");
  if (scope.at("any").isTrue) return true;
  const names = scope.at("matchNames").list();
  const { namespace } = service.metadata;
  if (names.length > 0) return names.some((name) => name.text() === namespace);
  return monitor.metadata.namespace === namespace;
}

function turnOn(installation: CheckInput["installation"], service?: ClusterObject): Fix {
  const spec = { selector: { matchLabels: exporter }, endpoints: [{ port: "gpu-metrics" }] };
  const metadata = { name: exporter.app, namespace: service?.metadata.namespace ?? "gpu-operator" };
  const object = { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata, spec };
  return fixBy({
    installation,
    chart: "gpu-operator",
    values: { dcgmExporter: { enabled: true, serviceMonitor: { enabled: true } } },
    otherwise: { is: "manifest", risk: safe, objects: [object] },
  });
}
