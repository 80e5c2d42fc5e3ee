import { Fields, isRecord } from "@fairlead/kernel";
import type { ClusterObject } from "./cluster-object.ts";
import { isPlanned, markPlanned } from "./planned.ts";

/** One pod for each workload that is planned, as its template says; none where no replica is wanted. */
export function podsOfTemplates(objects: readonly ClusterObject[]): ClusterObject[] {
  const pods = objects.filter(isPlannedWorkload).flatMap((workload): ClusterObject[] => {
    const spec = new Fields(workload).at("spec");
    if (spec.at("replicas").number() === 0) return [];
    const template = spec.at("template").raw;
    if (!isRecord(template)) return [];
    const { name, namespace } = workload.metadata;
    const own = isRecord(template["metadata"]) ? template["metadata"] : {};
    const metadata = { ...own, name, ...(namespace !== undefined && { namespace }) };
    return [{ ...template, apiVersion: "v1", kind: "Pod", metadata }];
  });
  markPlanned(pods);
  return pods;
}

export function isPlannedWorkload(object: ClusterObject): boolean {
  return kinds.includes(object.kind) && isPlanned(object);
}

const kinds: readonly unknown[] = ["Deployment", "StatefulSet", "DaemonSet"];
