import type { ClusterObject } from "./cluster-object.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * As `Snapshot.list`, by namespace and name: a verdict doesn't depend on the order in which a cluster lists its objects.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function listByName(snapshot: Snapshot, resource: string): readonly ClusterObject[] {
  const objects = snapshot.list(resource);
  const sorted = known.get(objects) ?? objects.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  known.set(objects, sorted);
  return sorted;
}

/** Several checks ask for the same. */
const known = new WeakMap<readonly ClusterObject[], readonly ClusterObject[]>();

function keyOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
