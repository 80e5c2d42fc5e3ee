import { Fields } from "@fairlead/kernel";
import {
  type ClusterObject,
  type ObjectRef,
  oncePerSighting,
  readTextMap,
  refTo,
  type Snapshot,
} from "../snapshot/index.ts";

/** The part of a pod that says what it belongs to. */
export interface LabelledPod {
  readonly ref: ObjectRef;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the PersistentVolumeClaims that it mounts. */
  readonly claims: readonly string[];
}

/** Those that were seen, in the order of the sighting. There are so many that only this is kept of each. */
export const readLabelledPods: (snapshot: Snapshot) => readonly LabelledPod[] = oncePerSighting("pods", (pods) => {
  const known = new Map<string, LabelledPod["labels"]>();
  const read: LabelledPod[] = [];
  for (const pod of pods) {
    const labels = readTextMap(new Fields(pod).at("metadata", "labels"));
    // Pods of one workload have the same, mostly.
    const text = JSON.stringify(labels);
    const shared = known.get(text) ?? labels;
    known.set(text, shared);
    read.push({ ref: refTo("pods", pod), labels: shared, claims: claimsOf(pod) });
  }
  return read;
});

function claimsOf(pod: ClusterObject): readonly string[] {
  const volumes = new Fields(pod).at("spec", "volumes").list();
  const names = volumes.flatMap((volume) => volume.at("persistentVolumeClaim", "claimName").text() ?? []);
  return names.length === 0 ? none : names;
}

const none: readonly string[] = [];
