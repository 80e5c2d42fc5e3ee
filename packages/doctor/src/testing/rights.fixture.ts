import {
  builtInResources,
  type ClusterObject,
  type ConfigMapSighting,
  resourceOf,
  type Sighting,
  Snapshot,
  snapshotOfObjects,
} from "../snapshot/index.ts";

/** The rights that a reader lacks in a cluster. */
export interface MissingRights {
  /** May not be listed. */
  readonly hidden: ReadonlySet<string>;
  /** May be listed only in the namespaces of `namespaces`. */
  readonly limited: ReadonlySet<string>;
  readonly namespaces: readonly string[];
  /** Groups that discovery doesn't tell of. */
  readonly undiscovered: readonly string[];
}

/** The resources of which these objects make a cluster hold some. */
export function resourcesOf(objects: readonly ClusterObject[]): string[] {
  const defined = objects
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .map(({ metadata }) => metadata.name);
  return [...new Set([...builtInResources, ...defined, ...objects.map(resourceOf)])].sort();
}

/** A cluster of these objects, as a reader sees it who lacks these rights. */
export function readWithout(objects: readonly ClusterObject[], rights: MissingRights): Snapshot {
  const whole = snapshotOfObjects({ objects, isComplete: true });
  const resources = resourcesOf(objects).filter((resource) => !rights.undiscovered.includes(groupOf(resource)));
  const maps = whole.listSeen("configmaps");
  return new Snapshot({
    sightings: new Map(resources.map((resource) => [resource, restrict(resource, whole.look(resource), rights)])),
    configMaps: new Map(maps.map((map) => [`${map.metadata.namespace}/${map.metadata.name}`, readMap(map, rights)])),
    otherConfigMaps: rights.hidden.has("configmaps") || rights.limited.has("configmaps") ? "hidden" : "missing",
    ...(rights.undiscovered.length > 0 && { undiscovered: { groups: rights.undiscovered, why: "timed out" } }),
  });
}

function restrict(resource: string, sighting: Sighting, { hidden, limited, namespaces }: MissingRights): Sighting {
  if (sighting.is !== "seen") return sighting;
  if (hidden.has(resource)) return { is: "hidden", why: "forbidden" };
  const isNamespaced = sighting.objects.every(({ metadata }) => metadata.namespace !== undefined);
  if (!limited.has(resource) || !isNamespaced) return sighting;
  return { ...sighting, objects: sighting.objects.filter((object) => isIn(object, namespaces)), namespaces };
}

function readMap(configMap: ClusterObject, { hidden, limited, namespaces }: MissingRights): ConfigMapSighting {
  const isSeen = limited.has("configmaps") ? isIn(configMap, namespaces) : !hidden.has("configmaps");
  return isSeen ? { is: "seen", configMap } : { is: "hidden", why: "forbidden" };
}

function isIn({ metadata }: ClusterObject, namespaces: readonly string[]): boolean {
  return metadata.namespace !== undefined && namespaces.includes(metadata.namespace);
}

function groupOf(resource: string): string {
  return resource.includes(".") ? resource.slice(resource.indexOf(".") + 1) : "";
}
