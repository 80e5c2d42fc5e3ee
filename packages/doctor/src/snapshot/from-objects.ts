// Makes a snapshot of objects that somebody wrote to files. Files say what was there when they were written; only the
// person who wrote them knows whether they hold everything.
import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "./cluster-object.ts";
import { findForgotten } from "./forgotten.ts";
import { markPlanned } from "./planned.ts";
import { podsOfTemplates } from "./pods-of-templates.ts";
import { builtInResources, resourceOf } from "./resource-names.ts";
import { type ConfigMapSighting, type Sighting, Snapshot, type SnapshotParts } from "./snapshot.ts";

type ObjectKind = Pick<ClusterObject, "apiVersion" | "kind">;

export interface FromObjectsOptions {
  readonly objects: readonly ClusterObject[];
  /** Nothing was left out: a kind without objects has none. Otherwise it is hidden. */
  readonly isComplete: boolean;
  /** Resources whose every object is here, though there may be none. */
  readonly whole?: Iterable<string>;
  /** Kinds whose list is empty. */
  readonly emptyKinds?: readonly ObjectKind[];
  /** They are from files, which may hold rendered objects, and of which somebody may have forgotten some. */
  readonly isDump?: boolean;
  /** Taken as not readable, whatever the objects say; by resource, with the reason. */
  readonly hidden?: ReadonlyMap<string, string>;
  /** Answers of Prometheus, where somebody asked it. */
  readonly metrics?: SnapshotParts["metrics"];
}

export function snapshotOfObjects(options: FromObjectsOptions): Snapshot {
  const { objects: given, isComplete, emptyKinds = [], isDump = false, hidden = new Map(), metrics } = options;
  if (isDump) markPlanned(given);
  const objects = isDump && isComplete ? [...given, ...podsOfTemplates(given)] : given;
  const defined = definedResources(objects);
  const toResource = (kind: ObjectKind) => defined.get(kindOf(kind)) ?? resourceOf(kind);
  const whole = new Set([...(options.whole ?? []), ...emptyKinds.map(toResource)]);
  const served = [...builtInResources, ...objects.filter(isDefinition).map(({ metadata }) => metadata.name)];
  const lists = new Map<string, ClusterObject[]>([...(isComplete ? served : []), ...whole].map((name) => [name, []]));
  for (const object of objects) {
    const resource = toResource(object);
    const list = lists.get(resource);
    if (list) list.push(object);
    else lists.set(resource, [object]);
  }
  const forgotten = isDump && isComplete ? findForgotten(objects, lists, whole) : noneForgotten;

  const sightings = new Map<string, Sighting>();
  for (const [resource, list] of lists) sightings.set(resource, { is: "seen", objects: list });
  if (!isComplete) {
    for (const resource of served) {
      if (!lists.has(resource)) sightings.set(resource, { is: "hidden", why: notRead });
    }
  }
  const unseen = new Map([...forgotten, ...hidden]);
  for (const [resource, why] of unseen) sightings.set(resource, { is: "hidden", why });
  const areMapsWhole = (isComplete || whole.has("configmaps")) && !unseen.has("configmaps");
  const undiscovered = isComplete ? [] : undiscoveredGroups(lists, served);
  return new Snapshot({
    sightings,
    configMaps: readConfigMaps(lists.get("configmaps") ?? [], hidden.get("configmaps")),
    ...(undiscovered.length > 0 && { undiscovered: { groups: undiscovered, why: notRead } }),
    // A file that holds everything has the maps that aren't in it missing, not hidden.
    ...(areMapsWhole && { otherConfigMaps: "missing" }),
    ...(metrics && { metrics }),
  });
}

const notRead = "the files hold none, and don't say that they are complete";
const noneForgotten: ReadonlyMap<string, string> = new Map();

/**
 * A cluster's APIServices name all groups that it serves. Those without any known resource are other servers', or their
 * definitions were left out. Rendered APIServices are only some of those that there will be.
 */
function undiscoveredGroups(
  lists: ReadonlyMap<string, readonly ClusterObject[]>,
  served: readonly string[],
): readonly string[] | "all" {
  const services = lists.get("apiservices.apiregistration.k8s.io") ?? [];
  const isOfCluster = services.some(({ metadata }) => metadata.name === "v1.apps");
  if (!isOfCluster || !lists.has("customresourcedefinitions.apiextensions.k8s.io")) return "all";
  const known = [...lists.keys(), ...served];
  const groups = services
    .map((service) => new Fields(service).at("spec"))
    .filter((spec) => spec.at("service").exists || !/^[^.]*$|\.k8s\.io$/.test(spec.at("group").text() ?? ""))
    .flatMap((spec) => spec.at("group").text() ?? [])
    .filter((group) => !known.some((resource) => resource.endsWith(`.${group}`)));
  return [...new Set(groups)].toSorted();
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

function kindOf({ apiVersion = "", kind = "" }: ObjectKind): string {
  return `${apiVersion.includes("/") ? apiVersion.split("/")[0] : ""}/${kind}`;
}
