import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createdAt, createPrinter, field, flag, integer, name, text } from "./columns.ts";
import type { Printer } from "./types.ts";

export const storagePrinters: Readonly<Record<string, Printer>> = {
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
