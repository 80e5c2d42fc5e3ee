import {
  type Check,
  type CheckInput,
  destructive,
  fail,
  few,
  judgeClaims,
  judgeEndpoint,
  pass,
  warn,
} from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { readFlag, runningWorkloads, type Workload } from "../../workloads/index.ts";
import { parsePrometheusDuration } from "./duration.ts";
import { findOurs, fixSpec, hasOperator, readPrometheis, type StackObject } from "./stack.ts";

export const prometheusPorts: readonly number[] = [9090, 9091];

export const isInCluster = ({ installation }: CheckInput): boolean => serversOf(installation).length > 0;

export const availableCheck: Check = {
  id: "prometheus.available",
  title: "The operator says that Prometheus is available and as its object asks for",
  why: "An object that the operator could not carry out leaves an old Prometheus running, or none.",
  severity: "required",
  features: ["metrics", "alerts"],
  appliesTo: hasOperator,
  judge(input) {
    const troubled = runningWorkloads(findOurs(input).filter((each) => troublesOf(each).length > 0));
    const evidence = few(troubled.flatMap(troublesOf));
    return evidence.length === 0 ? pass("It is available.") : fail("Prometheus isn't available.", evidence);
  },
};

export const endpointCheck: Check = {
  id: "prometheus.endpoint",
  title: "A Service leads to Prometheus",
  why: "Charts, autoscaling and scale-to-zero ask Prometheus at an address in the cluster; the operator makes the Service `prometheus-operated`.",
  severity: "required",
  features: ["metrics", "autoscaling-by-requests", "scale-to-zero"],
  judge(input) {
    const { snapshot, installation } = input;
    if (isInCluster(input)) return judgeEndpoint({ snapshot, workloads: ourServers(input), ports: prometheusPorts });
    needServers(input);
    if (hasOperator(input)) return fail("The operator has made no pods of Prometheus.", []);
    const by = installation.presence.is === "provider-managed" ? installation.presence.by : "a provider";
    return warn(`${by} runs it, so that its address for queries must be configured.`, []);
  },
};

export const retentionCheck: Check = {
  id: "prometheus.retention",
  title: "Metrics are kept as long as the profile asks",
  why: "Charts show nothing from before. Prometheus keeps 15 days unless it is told otherwise, and 24 hours under its operator.",
  severity: "recommended",
  features: ["metrics"],
  appliesTo: (input) => isInCluster(input) || hasOperator(input),
  judge(input) {
    const wanted = input.profile.prometheus.retentionDays;
    const objects = findOurs(input);
    const found = objects.length > 0 ? objects.map(retentionOf) : ourServers(input).map(retentionOfFlag);
    const evidence = few(found).map(({ evidence: each }) => ({ ...each, expected: `${wanted}d or longer` }));
    const [first] = objects;
    if (found.every(({ days }) => days >= wanted)) return pass("They are kept long enough.", evidence);
    const fix = first && fixSpec(input, first, { retention: `${wanted}d` }, { risk: restarts });
    return fail(`Metrics are kept for less than ${wanted} days.`, evidence, fix);
  },
};

export const storageCheck: Check = {
  id: "prometheus.storage",
  title: "Metrics lie in a persistent volume that is bound",
  why: "Without a volume, metrics are gone with the pod; with one that isn't bound, Prometheus doesn't start.",
  severity: "recommended",
  features: ["metrics"],
  appliesTo: (input) => isInCluster(input) || hasOperator(input),
  judge(input) {
    const [first] = findOurs(input);
    if (first?.fields.at("spec", "storage").exists) needServers(input);
    const resources = { requests: { storage: "20Gi" } };
    const volumeClaimTemplate = { spec: { accessModes: ["ReadWriteOnce"], resources } };
    const values = { storageSpec: { volumeClaimTemplate } };
    const fix =
      first && fixSpec(input, first, { storage: { volumeClaimTemplate } }, { risk: losesMetrics, ofChart: values });
    const workloads = ourServers(input);
    if (first && workloads.length === 0)
      return warn("Data is lost with its pod: it lies in no persistent volume.", [noStorage(first)], fix);
    return judgeClaims({ snapshot: input.snapshot, workloads, fix });
  },
};

export const singleCheck: Check = {
  id: "prometheus.single",
  title: "There is one Prometheus",
  why: "With several, it is a matter of luck which one takes our monitors and which one is asked. Say at which address to ask.",
  severity: "recommended",
  features: [],
  appliesTo: hasOperator,
  judge(input) {
    const all = readPrometheis(input);
    if (all.length === 1) return pass("There is one.");
    const ours = new Set(findOurs(input).map(({ ref }) => ref));
    const evidence = few(all).map(
      ({ ref }): Evidence => ({
        object: ref,
        path: "spec.serviceMonitorSelector",
        observed: ours.has(ref) ? "takes monitors of workloads" : "takes other monitors",
        expected: "one Prometheus",
      }),
    );
    return warn(`There are ${all.length} Prometheis.`, evidence);
  },
};

/** @throws {FairleadError} `DOCTOR_NOT_RUNNING` when the operator can't have made any yet */
function needServers(input: CheckInput): void {
  if (isInCluster(input)) return;
  runningWorkloads(workloadsOf(input.installation, "operator"));
  runningWorkloads(findOurs(input));
}

function noStorage({ ref }: StackObject): Evidence {
  return { object: ref, path: "spec.storage", observed: "none", expected: "a persistent volume" };
}

const restarts = destructive(
  "Prometheus restarts and answers nothing until it has read its log again; its volume fills further. Metrics that lie in no volume are lost.",
);
const losesMetrics = destructive("Prometheus starts anew with an empty volume: the metrics that it has now are lost.");

function serversOf(installation: CheckInput["installation"]): readonly Workload[] {
  return workloadsOf(installation, "server");
}

/** Those that take the monitors of workloads. The operator names a StatefulSet after its object; shards have a number more. */
export function ourServers(input: CheckInput): readonly Workload[] {
  const all = serversOf(input.installation);
  const objects = findOurs(input);
  const ours = all.filter(({ ref }) =>
    objects.some((each) => ref.namespace === each.namespace && ref.name.startsWith(`prometheus-${each.ref.name}`)),
  );
  return ours.length > 0 ? ours : all;
}

function troublesOf({ ref, fields }: StackObject): Evidence[] {
  return ["Available", "Reconciled"].flatMap((type) => {
    const condition = fields.condition(type);
    if (condition?.status === "True") return [];
    const observed = condition
      ? `${condition.status}: ${condition.message ?? "no reason"}`
      : "the operator says nothing";
    return [{ object: ref, path: `status.conditions[${type}]`, observed: observed.slice(0, 500), expected: "True" }];
  });
}

interface Retention {
  readonly days: number;
  readonly evidence: Omit<Evidence, "expected">;
}

function retentionOf({ ref, fields }: StackObject): Retention {
  const written = fields.at("spec", "retention").text();
  const observed = written ?? "none, which is 24 hours";
  return {
    days: parsePrometheusDuration(written ?? "24h"),
    evidence: { object: ref, path: "spec.retention", observed },
  };
}

function retentionOfFlag({ ref, containers }: Workload): Retention {
  const written = containers.flatMap((container) => readFlag(container, "storage.tsdb.retention.time") ?? [])[0];
  const observed = written ?? "none, which is 15 days";
  const path = "spec.template.spec.containers[].args";
  return { days: parsePrometheusDuration(written ?? "15d"), evidence: { object: ref, path, observed } };
}
