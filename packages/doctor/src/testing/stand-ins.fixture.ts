// Clusters made of YAML files in `stand-ins/`: addons with the names, labels, images and arguments that real ones have.
import { readStandIn as readObjects } from "@fairlead/testkit/stand-ins";
import { type ClusterObject, type Snapshot, snapshotOfObjects } from "../snapshot/index.ts";

export function readStandIn(path: string): ClusterObject[] {
  return readObjects<ClusterObject>(path);
}

/** A cluster that has these stand-ins and nothing else, all of it readable. */
export function clusterOf(...paths: readonly string[]): Snapshot {
  return snapshotOfObjects({ objects: paths.flatMap(readStandIn), isComplete: true });
}

/** A copy in which one object is changed: the golden cases change one value of a fit installation. */
export function changed(
  objects: readonly ClusterObject[],
  kind: string,
  name: string,
  change: (object: Record<string, unknown> & ClusterObject) => void,
): ClusterObject[] {
  const copies = structuredClone(objects) as (Record<string, unknown> & ClusterObject)[];
  const found = copies.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name} among the stand-ins`);
  change(found);
  return copies;
}
