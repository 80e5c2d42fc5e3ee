import type { ClusterObject } from "./cluster-object.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * As `Snapshot.list`, by namespace and name: a verdict doesn't depend on the order in which a cluster lists its objects.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function listByName(snapshot: Snapshot, resource: string): ClusterObject[] {
  return snapshot.list(resource).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
