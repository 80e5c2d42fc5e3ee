import { Fields } from "@fairlead/kernel";
import { parseDocument } from "yaml";
import {
  allowConfigMap,
  type Check,
  type CheckInput,
  destructive,
  type Fix,
  fail,
  pass,
  safe,
  script,
  unknown,
  warn,
} from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Evidence, ObjectRef } from "../../snapshot/index.ts";
import { runningWorkloads } from "../../workloads/index.ts";

export const operatorCheck: Check = {
  id: "prometheus.operator",
  title: "The operator of Prometheus runs",
  why: "Without it, ServiceMonitors, PrometheusRules and AlertmanagerConfigs, by which workloads say what to watch, do nothing.",
  severity: "recommended",
  features: ["metrics", "alerts"],
  appliesTo: ({ installation }) => installation.presence.is === "installed",
  judge({ installation }) {
    const operators = workloadsOf(installation, "operator");
    const [server] = workloadsOf(installation, "server");
    const evidence = operators.map(
      ({ ref, ready, desired }): Evidence => ({
        object: ref,
        path: "status.readyReplicas",
        observed: String(ready),
        expected: String(Math.max(1, desired)),
      }),
    );
    if (operators.some(({ ready }) => ready > 0)) return pass("It runs.", evidence);
    if (runningWorkloads(operators).length > 0)
      return fail("The operator isn't ready: changes of monitors and rules wait.", evidence);
    const bare: Evidence[] = server
      ? [{ object: server.ref, path: "", observed: "no operator", expected: "an operator" }]
      : [];
    return warn("Prometheus runs without its operator, so that monitors and rules of workloads do nothing.", bare);
  },
};

const map: ObjectRef = { resource: "configmaps", namespace: "openshift-monitoring", name: "cluster-monitoring-config" };

export const userWorkloadCheck: Check = {
  id: "prometheus.user-workload-monitoring",
  title: "OpenShift monitors workloads of users",
  why: "OpenShift's own Prometheus takes monitors of the platform alone. `enableUserWorkload` gives workloads one of their own.",
  severity: "required",
  features: ["metrics", "alerts"],
  appliesTo: isOpenShift,
  judge({ snapshot }) {
    const sighting = snapshot.readConfigMap("openshift-monitoring", map.name);
    if (sighting.is === "hidden") return unknown(`${sighting.why}.`, allowConfigMap("openshift-monitoring", map.name));
    const text = sighting.is === "seen" ? new Fields(sighting.configMap).at("data", "config.yaml").text() : undefined;
    const observed = text === undefined ? "unset" : (readSetting(text) ?? "unset");
    const evidence: Evidence[] = [
      { object: map, path: 'data["config.yaml"]: enableUserWorkload', observed, expected: "true" },
    ];
    if (observed === "true") return pass("It does.", evidence);
    if (observed === "unreadable") return unknown("The ConfigMap cluster-monitoring-config holds no YAML.");
    const fix: Fix =
      text === undefined
        ? { is: "manifest", risk: safe, objects: [newMap] }
        : { is: "command", risk: observed === "unset" ? safe : overrules, command: addSetting };
    return fail("OpenShift monitors nothing but itself.", evidence, fix);
  },
};

const overrules = destructive("Somebody turned this off: OpenShift then runs a Prometheus for workloads all the same.");

const newMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: map.namespace, name: map.name },
  data: { "config.yaml": "enableUserWorkload: true\n" },
};

/** The map's other settings stay, and stay in the cluster. */
const addSetting = script([
  [
    ["kubectl", "-n", "openshift-monitoring", "get", "configmap", map.name, "-o", "json"],
    [
      "jq",
      `.data["config.yaml"] |= "enableUserWorkload: true\\n" + gsub("(?<start>^|\\n)enableUserWorkload:[^\\n]*"; .start)`,
    ],
    ["kubectl", "replace", "-f", "-"],
  ],
]);

function isOpenShift({ installation }: CheckInput): boolean {
  return installation.presence.is === "provider-managed" && installation.presence.by === "OpenShift";
}

function readSetting(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return "unreadable";
  return new Fields({ value: document.get("enableUserWorkload") }).at("value").scalar();
}
