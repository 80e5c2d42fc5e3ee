import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createdAt, createPrinter, field, fieldOr, name, text, wide } from "./columns.ts";
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
    wide(text("OS-Image", (node) => node.at("status", "nodeInfo", "osImage").text() ?? "<unknown>")),
    wide(text("Kernel-Version", readKernel)),
    wide(
      text(
        "Container-Runtime",
        (node) => node.at("status", "nodeInfo", "containerRuntimeVersion").text() ?? "<unknown>",
      ),
    ),
  ),
  namespaces: createPrinter(name, field("Status", "status", "phase"), age),
  persistentvolumes: createPrinter(
    name,
    field("Capacity", "spec", "capacity", "storage"),
    text("Access Modes", (volume) => formatAccessModes(volume.at("spec", "accessModes"))),
    field("Reclaim Policy", "spec", "persistentVolumeReclaimPolicy"),
    text("Status", (volume) => readPhase(volume)),
    text("Claim", (volume) => {
      const claim = volume.at("spec", "claimRef");
      return claim.exists ? `${claim.at("namespace").text() ?? ""}/${claim.at("name").text() ?? ""}` : "";
    }),
    text("StorageClass", (volume) => volume.at("spec", "storageClassName").text() ?? ""),
    text("VolumeAttributesClass", (volume) => volume.at("spec", "volumeAttributesClassName").text() ?? "<unset>"),
    text("Reason", (volume) => volume.at("status", "reason").text() ?? ""),
    age,
    wide(text("VolumeMode", (volume) => volume.at("spec", "volumeMode").text() ?? "<unset>")),
  ),
  persistentvolumeclaims: createPrinter(
    name,
    text("Status", (claim) => readPhase(claim)),
    text("Volume", (claim) => claim.at("spec", "volumeName").text() ?? ""),
    text("Capacity", (claim) => (isBound(claim) ? (claim.at("status", "capacity", "storage").text() ?? "0") : "")),
    text("Access Modes", (claim) => (isBound(claim) ? formatAccessModes(claim.at("status", "accessModes")) : "")),
    text("StorageClass", (claim) => claim.at("spec", "storageClassName").text() ?? ""),
    text("VolumeAttributesClass", (claim) => claim.at("spec", "volumeAttributesClassName").text() ?? "<unset>"),
    age,
    wide(text("VolumeMode", (claim) => claim.at("spec", "volumeMode").text() ?? "<unset>")),
  ),
  "storageclasses.storage.k8s.io": createPrinter(
    text("Name", readStorageClassName),
    field("Provisioner", "provisioner"),
    text("ReclaimPolicy", (storage) => storage.at("reclaimPolicy").text() ?? "Delete"),
    text("VolumeBindingMode", (storage) => storage.at("volumeBindingMode").text() ?? "Immediate"),
    { ...text("AllowVolumeExpansion", (storage) => storage.at("allowVolumeExpansion").isTrue), type: "string" },
    age,
  ),
  "horizontalpodautoscalers.autoscaling": createPrinter(
    name,
    text("Reference", (scaler) => {
      const target = scaler.at("spec", "scaleTargetRef");
      return `${target.at("kind").text() ?? ""}/${target.at("name").text() ?? ""}`;
    }),
    text("Targets", formatTargets),
    text("MinPods", (scaler) => String(scaler.at("spec", "minReplicas").number() ?? "<unset>")),
    { ...text("MaxPods", (scaler) => scaler.at("spec", "maxReplicas").number() ?? 0), type: "integer" },
    { ...text("Replicas", (scaler) => scaler.at("status", "currentReplicas").number() ?? 0), type: "integer" },
    age,
  ),
  "poddisruptionbudgets.policy": createPrinter(
    name,
    text("Min Available", (budget) => readIntOrText(budget.at("spec", "minAvailable")) ?? "N/A"),
    text("Max Unavailable", (budget) => readIntOrText(budget.at("spec", "maxUnavailable")) ?? "N/A"),
    {
      ...text("Allowed Disruptions", (budget) => budget.at("status", "disruptionsAllowed").number() ?? 0),
      type: "integer",
    },
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
      if (available?.status === "True") return "True";
      return available ? `${available.status} (${available.reason ?? ""})` : "Unknown";
    }),
    age,
  ),
  "customresourcedefinitions.apiextensions.k8s.io": createPrinter(name, createdAt),
  "ingressclasses.networking.k8s.io": createPrinter(
    name,
    field("Controller", "spec", "controller"),
    fieldOr("<none>", "Parameters", "spec", "parameters", "name"),
    age,
  ),
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
  return address?.at("address").text() ?? "<none>";
}

function readKernel(node: Fields): Cell {
  const info = node.at("status", "nodeInfo");
  const version = info.at("kernelVersion").text();
  const architecture = info.at("architecture").text();
  if (version === undefined) return "<unknown>";
  return architecture === undefined ? version : `${version} (${architecture})`;
}

function readPhase(object: Fields): Cell {
  return object.at("metadata", "deletionTimestamp").exists
    ? "Terminating"
    : (object.at("status", "phase").text() ?? "");
}

function isBound(claim: Fields): boolean {
  return claim.at("spec", "volumeName").text() !== undefined;
}

function formatAccessModes(modes: Fields): string {
  const short: Readonly<Record<string, string>> = {
    ReadWriteOnce: "RWO",
    ReadOnlyMany: "ROX",
    ReadWriteMany: "RWX",
    ReadWriteOncePod: "RWOP",
  };
  const present = new Set(modes.list().map((mode) => mode.text() ?? ""));
  return Object.entries(short)
    .flatMap(([long, name]) => (present.has(long) ? name : []))
    .join(",");
}

function readStorageClassName(storage: Fields): string {
  const title = storage.at("metadata", "name").text() ?? "";
  const annotations = storage.at("metadata", "annotations");
  const isDefault = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((key) => annotations.at(key).text() === "true");
  return isDefault ? `${title} (default)` : title;
}

function readIntOrText(value: Fields): string | undefined {
  return value.text() ?? value.number()?.toString();
}

function formatTargets(scaler: Fields): Cell {
  const specs = scaler.at("spec", "metrics").list();
  if (specs.length === 0) return "<none>";
  const current = scaler.at("status", "currentMetrics").list();
  const shown = specs.slice(0, shownTargets).map((spec, index) => formatTarget(spec, current[index]));
  const more = specs.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` + ${more} more...` : "");
}

const shownTargets = 2;

function formatTarget(spec: Fields, current: Fields | undefined): string {
  const type = spec.at("type").text() ?? "";
  const member = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const target = spec.at(member, "target");
  const value = current?.at(member, "current");
  const title = type.endsWith("Resource") ? `${spec.at(member, "name").text() ?? ""}: ` : "";
  const utilization = target.at("averageUtilization").number();
  if (utilization !== undefined) {
    const now = value?.at("averageUtilization").number();
    return `${title}${now === undefined ? "<unknown>" : `${now}%`}/${utilization}%`;
  }
  const average = target.at("averageValue").text();
  const suffix = average !== undefined && !type.endsWith("Resource") && type !== "Pods" ? " (avg)" : "";
  const now = value?.at(average === undefined ? "value" : "averageValue").text();
  return `${title}${now ?? "<unknown>"}/${average ?? target.at("value").text() ?? "<auto>"}${suffix}`;
}

function formatQuota(sort: "requests" | "limits") {
  return (quota: Fields): Cell =>
    quota
      .at("status", "hard")
      .entries()
      .filter(([resource]) => resource.startsWith("limits.") === (sort === "limits"))
      .map(([resource, hard]) => {
        const used = quota.at("status", "used", resource);
        return `${resource}: ${readIntOrText(used) ?? "0"}/${readIntOrText(hard) ?? "0"}`;
      })
      .sort()
      .join(", ");
}
