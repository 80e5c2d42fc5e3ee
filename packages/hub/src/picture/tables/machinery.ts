// Kinds that Kubernetes keeps for itself.
import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createPrinter, field, fieldOr, flag, formatSome, integer, name, optionalOr, text } from "./columns.ts";
import type { Column, Printer } from "./types.ts";

const limit = (title: string, ...path: readonly string[]): Column =>
  text(title, (level) => level.at("spec", "limited", ...path).number() ?? "<none>");

export const machineryPrinters: Readonly<Record<string, Printer>> = {
  componentstatuses: createPrinter(
    name,
    text("Status", (component) => {
      const status = readHealthy(component)?.at("status").text();
      return status === undefined ? "Unknown" : status === "True" ? "Healthy" : "Unhealthy";
    }),
    text("Message", (component) => readHealthy(component)?.at("message").text() ?? ""),
    text("Error", (component) => readHealthy(component)?.at("error").text() ?? ""),
  ),
  "leases.coordination.k8s.io": createPrinter(name, field("Holder", "spec", "holderIdentity"), age),
  "leasecandidates.coordination.k8s.io": createPrinter(
    name,
    field("LeaseName", "spec", "leaseName"),
    field("BinaryVersion", "spec", "binaryVersion"),
    field("EmulationVersion", "spec", "emulationVersion"),
    age,
  ),
  "priorityclasses.scheduling.k8s.io": createPrinter(
    name,
    integer("Value", (priority) => priority.at("value").number() ?? 0),
    flag("Global-Default", (priority) => priority.at("globalDefault").isTrue),
    age,
    field("PreemptionPolicy", "preemptionPolicy"),
  ),
  "workloads.scheduling.k8s.io": createPrinter(name, age),
  "podgroups.scheduling.k8s.io": createPrinter(
    name,
    text("Policy", (group) => (group.at("spec", "schedulingPolicy", "gang").exists ? "Gang" : "Basic")),
    fieldOr("<none>", "Workload", "spec", "podGroupTemplateRef", "workload", "workloadName"),
    text("Status", readGroupStatus),
    age,
  ),
  "runtimeclasses.node.k8s.io": createPrinter(name, field("Handler", "handler"), age),
  "flowschemas.flowcontrol.apiserver.k8s.io": createPrinter(
    name,
    field("PriorityLevel", "spec", "priorityLevelConfiguration", "name"),
    text("MatchingPrecedence", (flow) => flow.at("spec", "matchingPrecedence").number() ?? 0),
    fieldOr("<none>", "DistinguisherMethod", "spec", "distinguisherMethod", "type"),
    age,
    text("MissingPL", (flow) => flow.condition("Dangling")?.status ?? "?"),
  ),
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": createPrinter(
    name,
    field("Type", "spec", "type"),
    limit("NominalConcurrencyShares", "nominalConcurrencyShares"),
    limit("Queues", "limitResponse", "queuing", "queues"),
    limit("HandSize", "limitResponse", "queuing", "handSize"),
    limit("QueueLengthLimit", "limitResponse", "queuing", "queueLengthLimit"),
    age,
  ),
  "storageversions.internal.apiserver.k8s.io": createPrinter(
    name,
    optionalOr("<unset>", "CommonEncodingVersion", "status", "commonEncodingVersion"),
    text("StorageVersions", formatStorageVersions),
    age,
  ),
  "storageversionmigrations.storagemigration.k8s.io": createPrinter(
    field("Name", "metadata", "name"),
    text("Resource", (migration) => {
      const [resource, group] = ["resource", "group"].map((part) => migration.at("spec", "resource", part).text());
      return group === undefined ? (resource ?? "") : `${resource ?? ""}.${group}`;
    }),
    text("Status", readMigrationStatus),
  ),
};

function readHealthy(component: Fields): Fields | undefined {
  return component
    .at("conditions")
    .list()
    .find((condition) => condition.at("type").text() === "Healthy");
}

function readGroupStatus(group: Fields): Cell {
  const disrupted = group.condition("DisruptionTarget");
  if (disrupted) return disrupted.reason ?? "";
  const scheduled = group.condition("PodGroupScheduled");
  if (!scheduled) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

function formatStorageVersions(object: Fields): Cell {
  const versions = object.at("status", "storageVersions").list();
  const texts = versions.map(
    (one) => `${one.at("apiServerID").text() ?? ""}=${one.at("encodingVersion").text() ?? ""}`,
  );
  return formatSome(texts) || "<unset>";
}

function readMigrationStatus(migration: Fields): Cell {
  const states = ["Running", "Failed", "Succeeded"];
  const reached = migration.conditions().filter(({ status, type }) => status === "True" && states.includes(type));
  return reached.at(-1)?.type ?? "Unknown";
}
