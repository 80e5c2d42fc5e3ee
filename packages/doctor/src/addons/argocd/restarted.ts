import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, kubectl, pass, safe, script, type Verdict, warn } from "../../checks/index.ts";
import type { ClusterObject, Evidence, Snapshot } from "../../snapshot/index.ts";
import { podsOf, runningWorkloads } from "../../workloads/index.ts";
import { type ArgoProcess, argoProcesses } from "./instances.ts";
import { readNamespaces } from "./read-namespaces.ts";

export const restarted: Check = {
  id: "argocd.restarted",
  title: "Argo CD was restarted since its settings changed",
  why: `Settings in \`argocd-cmd-params-cm\` become variables of the environment when a pod starts. A pod that is older
than the last change of the ConfigMap still runs with the settings of before.`,
  severity: "recommended",
  features: ["deploy"],
  judge,
};

function judge(input: CheckInput): Verdict {
  const processes = argoProcesses(input);
  const stale = processes.flatMap((process) => findStale(process, input.snapshot));
  const [first] = stale;
  if (!first) runningWorkloads(processes.map(({ workload }) => workload));
  if (!first) return pass("Every pod is younger than the settings it was started with.");
  const { kind, namespace, name } = first.target;
  return warn(
    "Argo CD runs with settings of before the last change.",
    stale.map(({ evidence }) => evidence),
    {
      is: "command",
      risk: safe,
      command: script([kubectl({ verb: ["rollout", "restart"], namespace, args: [`${kind}/${name}`] })]),
    },
  );
}

interface Stale {
  readonly target: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly evidence: Evidence;
}

function findStale(process: ArgoProcess, snapshot: Snapshot): Stale[] {
  const { workload, namespace } = process;
  const { configMap } = readNamespaces(process, snapshot);
  if (configMap === undefined) return [];
  const sighting = snapshot.readConfigMap(namespace, configMap);
  if (sighting.is !== "seen") return [];
  const changedAt = lastChange(sighting.configMap);
  const oldest = podsOf(workload, snapshot)
    .map((pod) => new Fields(pod).at("status", "startTime").text() ?? "")
    .filter((time) => time !== "")
    .toSorted()[0];
  if (changedAt === undefined || oldest === undefined || Date.parse(oldest) >= Date.parse(changedAt)) return [];
  const kind = workload.ref.resource === "statefulsets.apps" ? "statefulset" : "deployment";
  return [
    {
      target: { kind, namespace, name: workload.ref.name },
      evidence: {
        object: { resource: "configmaps", namespace, name: configMap },
        path: "metadata.managedFields[].time",
        observed: `changed at ${changedAt}; a pod of ${workload.ref.name} started at ${oldest}`,
        expected: "pods that started later",
      },
    },
  ];
}

/** Times of the API server have one format, so that they sort as text. */
function lastChange(configMap: ClusterObject): string | undefined {
  const times = new Fields(configMap)
    .at("metadata", "managedFields")
    .list()
    .map((entry) => entry.at("time").text())
    .filter((time) => time !== undefined);
  return times.toSorted().at(-1) ?? configMap.metadata.creationTimestamp;
}
