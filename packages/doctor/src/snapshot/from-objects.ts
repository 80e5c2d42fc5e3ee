// Makes a snapshot of objects that somebody wrote to files. Files say what was there when they were written; only the
// person who wrote them knows whether they hold everything.
import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "./cluster-object.ts";
import { builtInResources, resourceOf } from "./resource-names.ts";
import { type ConfigMapSighting, type Sighting, Snapshot, type SnapshotParts } from "./snapshot.ts";

export interface FromObjectsOptions {
  readonly objects: readonly ClusterObject[];
  /** Nothing was left out: a kind without objects has none. Otherwise it is hidden. */
  readonly isComplete: boolean;
  /** Taken as not readable, whatever the objects say; by resource, with the reason. */
  readonly hidden?: ReadonlyMap<string, string>;
  /** Answers of Prometheus, where somebody asked it. */
  readonly metrics?: SnapshotParts["metrics"];
}

export function snapshotOfObjects(options: FromObjectsOptions): Snapshot {
  const { objects, isComplete, hidden = new Map(), metrics } = options;
  const defined = definedResources(objects);
  const served = [...builtInResources, ...objects.filter(isDefinition).map(({ metadata }) => metadata.name)];
  const lists = new Map<string, ClusterObject[]>();
  if (isComplete) for (const resource of served) lists.set(resource, []);
  for (const object of objects) {
    const resource = defined.get(kindOf(object)) ?? resourceOf(object);
    const list = lists.get(resource);
    if (list) list.push(object);
    else lists.set(resource, [object]);
  }

  const sightings = new Map<string, Sighting>();
  for (const [resource, list] of lists) sightings.set(resource, { is: "seen", objects: list });
  const notRead = "the files hold none, and don't say that they are complete";
  if (!isComplete) {
    for (const resource of served) {
      if (!lists.has(resource)) sightings.set(resource, { is: "hidden", why: notRead });
    }
  }
  for (const [resource, why] of hidden) sightings.set(resource, { is: "hidden", why });
  return new Snapshot({
    sightings,
    configMaps: readConfigMaps(lists.get("configmaps") ?? [], hidden.get("configmaps")),
    ...(!isComplete && { undiscovered: { groups: "all", why: notRead } }),
    // A file that holds everything has the maps that aren't in it missing, not hidden.
    ...(isComplete && !hidden.has("configmaps") && { otherConfigMaps: "missing" }),
    ...(metrics && { metrics }),
  });
}

function readConfigMaps(maps: readonly ClusterObject[], why: string | undefined): Map<string, ConfigMapSighting> {
  return new Map(
    maps.map((configMap) => [
      `${configMap.metadata.namespace ?? "default"}/${configMap.metadata.name}`,
      why === undefined ? { is: "seen", configMap } : { is: "hidden", why },
    ]),
  );
}

/** The resources that CustomResourceDefinitions among the objects define, by `group/Kind`. */
function definedResources(objects: readonly ClusterObject[]): Map<string, string> {
  return new Map(
    objects.filter(isDefinition).map((definition) => {
      const spec = new Fields(definition).at("spec");
      return [`${spec.at("group").text()}/${spec.at("names", "kind").text()}`, definition.metadata.name];
    }),
  );
}

function isDefinition({ kind }: ClusterObject): boolean {
  return kind === "CustomResourceDefinition";
}

function kindOf({ apiVersion = "", kind = "" }: ClusterObject): string {
  return `${apiVersion.includes("/") ? apiVersion.split("/")[0] : ""}/${kind}`;
}
