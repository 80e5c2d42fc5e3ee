// Makes a snapshot for examinations from everything that was read of the cluster. A kind that the API server has and
// nobody read counts as hidden: saying that it has no objects would be a guess.
import type { Sighting, SnapshotParts } from "@fairlead/doctor";
import { type ApiCatalogue, type ApiResource, resourceKey } from "@fairlead/kube";
import { isExcluded, type KindChoice } from "../observe/index.ts";
import type { ObservationCache } from "./observation-cache.ts";
import type { SideReader } from "./side-reader.ts";

export interface WaysToLook {
  readonly catalogue: ApiCatalogue;
  readonly choice: KindChoice;
  /** The selector of the objects that are observed in namespaces. */
  readonly labelSelector: string | undefined;
  /** Whether others than the API server itself may be asked: what serves the metrics API, and Prometheus. */
  readonly isProbing: boolean;
  readonly cache: Pick<ObservationCache, "look" | "has">;
  readonly side: Pick<SideReader, "look" | "configMaps">;
}

export function takeSnapshot(ways: WaysToLook): SnapshotParts {
  const { catalogue, side } = ways;
  const groups = [...new Set(catalogue.unavailable.map(({ group }) => group))];
  return {
    sightings: new Map(catalogue.resources.map((resource) => [resourceKey(resource), look(resource, ways)])),
    configMaps: side.configMaps,
    otherConfigMaps: "hidden",
    ...(groups.length > 0 && { undiscovered: { groups, why: "the API server of this group doesn't answer" } }),
  };
}

/** Kinds that nobody watches and that may be read for once. */
export function readableApart(ways: Omit<WaysToLook, "side">, resources: ReadonlySet<string>): ApiResource[] {
  return ways.catalogue.resources.filter(
    (resource) =>
      resources.has(resourceKey(resource)) &&
      !ways.cache.has(resourceKey(resource)) &&
      whyNeverRead(resource, ways) === undefined,
  );
}

function look(resource: ApiResource, ways: WaysToLook): Sighting {
  const why = whyNeverRead(resource, ways);
  if (why !== undefined) return { is: "hidden", why };
  const key = resourceKey(resource);
  const seen = ways.cache.look(key) ?? ways.side.look(key) ?? { is: "hidden", why: "the agent didn't read it" };
  const { namespaces } = ways.choice;
  return seen.is === "seen" && resource.namespaced && namespaces.length > 0 && seen.namespaces === undefined
    ? withNamespaces(seen, namespaces)
    : seen;
}

/** Its objects are still read only when they are asked for. */
function withNamespaces(seen: Extract<Sighting, { is: "seen" }>, namespaces: readonly string[]): Sighting {
  return {
    is: "seen",
    get objects() {
      return seen.objects;
    },
    namespaces,
  };
}

/** Why something isn't known that an agent asks only where somebody wants that. */
export const notAsked = "it isn't asked for (--observe-doctor-probes)";

function whyNeverRead(resource: ApiResource, ways: Omit<WaysToLook, "side">): string | undefined {
  const { choice, labelSelector, isProbing } = ways;
  const key = resourceKey(resource);
  if (resource.group === "metrics.k8s.io" && !isProbing) return notAsked;
  if (key === "secrets" || key === "configmaps") return "the agent never reads all of them";
  if (!resource.verbs.includes("list")) return "it can't be listed";
  if (isExcluded(resource, choice)) return "the agent is told not to observe it";
  if (labelSelector !== undefined && resource.namespaced)
    return `only what has the labels ${labelSelector} is observed`;
  if (choice.namespaces.length > 0 && !resource.namespaced) return "the agent observes only some namespaces";
  return undefined;
}
