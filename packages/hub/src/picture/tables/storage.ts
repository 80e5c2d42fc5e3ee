import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import {
  age,
  createdAt,
  createPrinter,
  field,
  fieldOr,
  flag,
  integer,
  name,
  optionalOr,
  readClassName,
  readOptional,
  text,
  wide,
} from "./columns.ts";
import type { Printer } from "./types.ts";

const defaultClassAnnotations: readonly string[] = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storagePrinters: Readonly<Record<string, Printer>> = {
  persistentvolumes: createPrinter(
    name,
    fieldOr("0", "Capacity", "spec", "capacity", "storage"),
    text("Access Modes", (volume) => formatAccessModes(volume.at("spec", "accessModes"))),
    field("Reclaim Policy", "spec", "persistentVolumeReclaimPolicy"),
    text("Status", readPhase),
    text("Claim", (volume) => {
      const claim = volume.at("spec", "claimRef");
      return claim.exists ? `${claim.at("namespace").text() ?? ""}/${claim.at("name").text() ?? ""}` : "";
    }),
    text("StorageClass", readStorageClass),
    optionalOr("<unset>", "VolumeAttributesClass", "spec", "volumeAttributesClassName"),
    field("Reason", "status", "reason"),
    age,
    wide(optionalOr("<unset>", "VolumeMode", "spec", "volumeMode")),
  ),
  persistentvolumeclaims: createPrinter(
    name,
    text("Status", readPhase),
    field("Volume", "spec", "volumeName"),
    text("Capacity", (claim) => (isBound(claim) ? (claim.at("status", "capacity", "storage").text() ?? "0") : "")),
    text("Access Modes", (claim) => (isBound(claim) ? formatAccessModes(claim.at("status", "accessModes")) : "")),
    text("StorageClass", readStorageClass),
    optionalOr("<unset>", "VolumeAttributesClass", "spec", "volumeAttributesClassName"),
    age,
    wide(optionalOr("<unset>", "VolumeMode", "spec", "volumeMode")),
  ),
  "storageclasses.storage.k8s.io": createPrinter(
    { ...name, read: (storageClass) => readClassName(storageClass, defaultClassAnnotations) },
    field("Provisioner", "provisioner"),
    optionalOr("Delete", "ReclaimPolicy", "reclaimPolicy"),
    optionalOr("Immediate", "VolumeBindingMode", "volumeBindingMode"),
    text("AllowVolumeExpansion", (storageClass) => storageClass.at("allowVolumeExpansion").isTrue),
    age,
  ),
  "volumeattachments.storage.k8s.io": createPrinter(
    name,
    { ...field("Attacher", "spec", "attacher"), format: "name" },
    field("PV", "spec", "source", "persistentVolumeName"),
    field("Node", "spec", "nodeName"),
    flag("Attached", (object) => object.at("status", "attached").isTrue),
    age,
  ),
  "volumeattributesclasses.storage.k8s.io": createPrinter(name, field("DriverName", "driverName"), age),
  "csinodes.storage.k8s.io": createPrinter(
    name,
    integer("Drivers", (node) => node.at("spec", "drivers").list().length),
    age,
  ),
  "csidrivers.storage.k8s.io": createPrinter(
    name,
    flag("AttachRequired", (driver) => driver.at("spec", "attachRequired").boolean() ?? true),
    flag("PodInfoOnMount", (driver) => driver.at("spec", "podInfoOnMount").isTrue),
    flag("StorageCapacity", (driver) => driver.at("spec", "storageCapacity").isTrue),
    text("TokenRequests", formatTokenRequests),
    flag("RequiresRepublish", (driver) => driver.at("spec", "requiresRepublish").isTrue),
    text("Modes", (driver) => joinTexts(driver.at("spec", "volumeLifecycleModes")) || "<none>"),
    age,
  ),
  "csistoragecapacities.storage.k8s.io": createPrinter(name, createdAt),
};

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

/** Older than the field of the same meaning, and counts before it. */
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

function readStorageClass(object: Fields): string {
  const annotated = readOptional(object.at("metadata", "annotations", classAnnotation));
  return annotated ?? object.at("spec", "storageClassName").text() ?? "";
}

function formatTokenRequests(driver: Fields): Cell {
  const requests = driver.at("spec", "tokenRequests");
  if (!requests.exists) return "<unset>";
  return requests
    .list()
    .map((one) => one.at("audience").text() ?? "")
    .join(",");
}

function joinTexts(values: Fields): string {
  return values
    .list()
    .map((value) => value.text() ?? "")
    .join(",");
}
