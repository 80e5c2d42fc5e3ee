import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, count, createPrinter, name, text } from "./columns.ts";
import type { Printer } from "./types.ts";

export const autoscalerPrinter: Printer = createPrinter(
  name,
  text("Reference", (scaler) => {
    const target = scaler.at("spec", "scaleTargetRef");
    return `${target.at("kind").text() ?? ""}/${target.at("name").text() ?? ""}`;
  }),
  text("Targets", formatTargets),
  text("MinPods", (scaler) => String(scaler.at("spec", "minReplicas").number() ?? "<unset>")),
  text("MaxPods", (scaler) => count(scaler, "spec", "maxReplicas")),
  text("Replicas", (scaler) => count(scaler, "status", "currentReplicas")),
  age,
);

function formatTargets(scaler: Fields): Cell {
  const specs = scaler.at("spec", "metrics").list();
  if (specs.length === 0) return "<none>";
  const statuses = scaler.at("status", "currentMetrics").list();
  const shown = specs.slice(0, shownTargets).map((spec, index) => formatTarget(spec, statuses[index]));
  const more = specs.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` + ${more} more...` : "");
}

/** The status of a metric is the one at its place, and counts when it is of the same type. */
function formatTarget(spec: Fields, status: Fields | undefined): string {
  const type = spec.at("type").text() ?? "";
  const member = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const target = spec.at(member, "target");
  const current = status?.at(member).exists === true ? status.at(member, "current") : undefined;
  const title = `${spec.at(member, "name").text() ?? ""}: `;
  switch (type) {
    case "Resource":
    case "ContainerResource":
      return title + (target.at("averageValue").exists ? formatAverage(target, current) : formatShare(target, current));
    case "Pods":
      return formatAverage(target, current);
    case "External":
    case "Object": {
      if (!target.at("averageValue").exists)
        return `${readQuantity(current?.at("value"))}/${quantityAt(target, "value")}`;
      const known = current?.at("averageValue").exists === true ? current : undefined;
      return `${formatAverage(target, known)} (avg)`;
    }
    default:
      return "<unknown type>";
  }
}

function formatAverage(target: Fields, current: Fields | undefined): string {
  return `${readQuantity(current?.at("averageValue"))}/${quantityAt(target, "averageValue")}`;
}

function formatShare(target: Fields, current: Fields | undefined): string {
  const now = current?.at("averageUtilization").number();
  const wanted = target.at("averageUtilization").number();
  return `${now === undefined ? "<unknown>" : `${now}%`}/${wanted === undefined ? "<auto>" : `${wanted}%`}`;
}

/** Unknown without a status; `<nil>` where a status lacks it. */
function readQuantity(quantity: Fields | undefined): string {
  return quantity === undefined ? "<unknown>" : (quantity.text() ?? "<nil>");
}

function quantityAt(target: Fields, member: string): string {
  return readQuantity(target.at(member));
}

const shownTargets = 2;
