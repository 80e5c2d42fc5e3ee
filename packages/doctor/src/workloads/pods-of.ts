import { Fields } from "@fairlead/kernel";
import { type ClusterObject, matchesLabels, readTextMap, type Sighting, type Snapshot } from "../snapshot/index.ts";
import { readLabelledPods } from "./labelled-pods.ts";
import type { Workload } from "./workload.ts";

/**
 * The pods that a workload's selector takes; none without a selector.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function podsOf(workload: Workload, snapshot: Snapshot): readonly ClusterObject[] {
  if (selectorOf(workload) !== undefined) snapshot.needAll("pods");
  return seenPodsOf(workload, snapshot);
}

/** Those that were seen; others may exist. Pods are looked at only where there is a selector. */
export function seenPodsOf(workload: Workload, snapshot: Snapshot): readonly ClusterObject[] {
  const selector = selectorOf(workload);
  if (selector === undefined) return [];
  const { namespace } = workload.ref;
  const pods = snapshot.see("pods");
  if (!pods) return [];
  const chosen = knownChoices.get(pods) ?? new Map<string, readonly ClusterObject[]>();
  knownChoices.set(pods, chosen);
  const key = JSON.stringify([namespace, selector]);
  const known = chosen.get(key);
  if (known) return known;
  const found = readLabelledPods(snapshot).flatMap(({ ref, labels }, index) => {
    if (ref.namespace !== namespace || !matchesLabels(labels, selector)) return [];
    return (pods.source ? pods.source.at(index) : pods.objects[index]) ?? [];
  });
  chosen.set(key, found);
  return found;
}

/** Caches the pods of each selector for as long as no pod changes. */
const knownChoices = new WeakMap<Sighting, Map<string, readonly ClusterObject[]>>();

function selectorOf({ object }: Workload): Readonly<Record<string, string>> | undefined {
  const selector = readTextMap(new Fields(object).at("spec", "selector", "matchLabels"));
  return Object.keys(selector).length === 0 ? undefined : selector;
}
