import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import {
  age,
  count,
  createdAt,
  createPrinter,
  field,
  fieldOr,
  integer,
  name,
  readIntOrText,
  text,
  wide,
} from "./columns.ts";
import type { Printer } from "./types.ts";

export const platformPrinters: Readonly<Record<string, Printer>> = {
  nodes: createPrinter(
    name,
    text("Status", readNodeStatus),
    text("Roles", readNodeRoles),
    age,
    field("Version", "status", "nodeInfo", "kubeletVersion"),
    wide(text("Internal-IP", (node) => readNodeAddress(node, "InternalIP"))),
    wide(text("External-IP", (node) => readNodeAddress(node, "ExternalIP"))),
    wide(fieldOr("<unknown>", "OS-Image", "status", "nodeInfo", "osImage")),
    wide(text("Kernel-Version", readKernel)),
    wide(fieldOr("<unknown>", "Container-Runtime", "status", "nodeInfo", "containerRuntimeVersion")),
  ),
  namespaces: createPrinter(name, field("Status", "status", "phase"), age),
  "poddisruptionbudgets.policy": createPrinter(
    name,
    text("Min Available", (budget) => readIntOrText(budget.at("spec", "minAvailable")) ?? "N/A"),
    text("Max Unavailable", (budget) => readIntOrText(budget.at("spec", "maxUnavailable")) ?? "N/A"),
    integer("Allowed Disruptions", (budget) => count(budget, "status", "disruptionsAllowed")),
    age,
  ),
  resourcequotas: createPrinter(
    name,
    text("Request", formatQuota("requests")),
    text("Limit", formatQuota("limits")),
    age,
  ),
  "apiservices.apiregistration.k8s.io": createPrinter(
    name,
    text("Service", (service) => {
      const reference = service.at("spec", "service");
      return reference.exists
        ? `${reference.at("namespace").text() ?? ""}/${reference.at("name").text() ?? ""}`
        : "Local";
    }),
    text("Available", (service) => {
      const available = service.condition("Available");
      if (!available) return "Unknown";
      const isExplained = available.status !== "True" && available.reason !== undefined;
      return isExplained ? `${available.status} (${available.reason})` : available.status;
    }),
    age,
  ),
  "customresourcedefinitions.apiextensions.k8s.io": createPrinter(name, createdAt),
};

function readNodeStatus(node: Fields): Cell {
  const ready = node.condition("Ready");
  const status = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return node.at("spec", "unschedulable").isTrue ? `${status},SchedulingDisabled` : status;
}

function readNodeRoles(node: Fields): Cell {
  const roles = node
    .at("metadata", "labels")
    .entries()
    .flatMap(([label, value]) => {
      if (label.startsWith(rolePrefix)) return label.slice(rolePrefix.length) || [];
      return label === "kubernetes.io/role" ? (value.text() ?? []) : [];
    });
  return roles.length === 0 ? "<none>" : [...new Set(roles)].sort().join(",");
}

const rolePrefix = "node-role.kubernetes.io/";

function readNodeAddress(node: Fields, type: string): Cell {
  const address = node
    .at("status", "addresses")
    .list()
    .find((one) => one.at("type").text() === type);
  return address ? (address.at("address").text() ?? "") : "<none>";
}

function readKernel(node: Fields): Cell {
  const info = node.at("status", "nodeInfo");
  const version = info.at("kernelVersion").text() ?? "<unknown>";
  const architecture = info.at("architecture").text();
  return architecture === undefined ? version : `${version} (${architecture})`;
}

function formatQuota(sort: "requests" | "limits") {
  return (quota: Fields): Cell =>
    quota
      .at("status", "hard")
      .entries()
      .filter(([resource]) => resource.startsWith("limits.") === (sort === "limits"))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, hard]) => {
        const used = quota.at("status", "used", resource);
        return `${resource}: ${readIntOrText(used) ?? "0"}/${readIntOrText(hard) ?? "0"}`;
      })
      .join(", ");
}
