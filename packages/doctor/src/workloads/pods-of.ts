import { Fields } from "@fairlead/kernel";
import { type ClusterObject, matchesLabels, readTextMap, type Snapshot } from "../snapshot/index.ts";
import type { Workload } from "./workload.ts";

/**
 * The pods that a workload's selector takes; none without a selector.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function podsOf(workload: Workload, snapshot: Snapshot): ClusterObject[] {
  return choosePods(workload, () => snapshot.list("pods"));
}

/** Those that were seen; others may exist. */
export function seenPodsOf(workload: Workload, snapshot: Snapshot): ClusterObject[] {
  return choosePods(workload, () => snapshot.listSeen("pods"));
}

/** Pods are looked at only where there is a selector: nothing hidden matters to a workload without one. */
function choosePods({ ref, object }: Workload, look: () => readonly ClusterObject[]): ClusterObject[] {
  const selector = readTextMap(new Fields(object).at("spec", "selector", "matchLabels"));
  if (Object.keys(selector).length === 0) return [];
  return look()
    .filter(({ metadata }) => metadata.namespace === ref.namespace)
    .filter(({ metadata }) => matchesLabels(readTextMap(new Fields(metadata).at("labels")), selector));
}
