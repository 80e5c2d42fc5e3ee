// Clusters made of YAML files in `stand-ins/`: addons with the names, labels, images and arguments that real ones have.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type ClusterObject, type Snapshot, snapshotOfObjects } from "../snapshot/index.ts";

/** The objects of `stand-ins/PATH.yaml`, such as `argocd/upstream`. Items of a List come one by one. */
export function readStandIn(path: string): ClusterObject[] {
  const text = readFileSync(join(import.meta.dirname, "..", "..", "stand-ins", `${path}.yaml`), "utf8");
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ClusterObject & { readonly items?: readonly ClusterObject[] })
    .filter((object) => object !== null)
    .flatMap((object) => (object.kind?.endsWith("List") ? [...(object.items ?? [])] : [object]));
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
