import { Fields } from "@fairlead/kernel";
import { isImage, type Workload } from "../workloads/index.ts";
import type { ComponentSignal } from "./signals.ts";

export function matchesComponent(workload: Workload, { images, labels, names }: ComponentSignal): boolean {
  if (images && !workload.containers.some(({ image }) => images.some((suffix) => isImage(image, suffix)))) return false;
  if (labels === undefined && names === undefined) return images !== undefined;
  return (labels !== undefined && hasLabels(workload, labels)) || (names !== undefined && hasName(workload, names));
}

function hasLabels({ object }: Workload, wanted: NonNullable<ComponentSignal["labels"]>): boolean {
  const ofPods = new Fields(object).at("spec", "template", "metadata", "labels");
  const own = new Fields(object).at("metadata", "labels");
  return Object.entries(wanted).every(([key, values]) =>
    [own.at(key).text(), ofPods.at(key).text()].some((value) => value !== undefined && values.includes(value)),
  );
}

function hasName({ ref }: Workload, names: NonNullable<ComponentSignal["names"]>): boolean {
  return names.some((name) => (typeof name === "string" ? ref.name === name : name.test(ref.name)));
}
