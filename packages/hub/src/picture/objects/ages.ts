import type { DataAge, MissingKind } from "@fairlead/contract";
import type { CopyAge, KindAge } from "../inventory/index.ts";
import type { ObjectRequest } from "./request.ts";
import type { ClusterNames, ObjectInventory } from "./types.ts";

export interface AgeReader {
  /** Reads the ages of the clusters of an answer, by its kinds. */
  read(request: Pick<ObjectRequest, "clusters" | "kinds" | "missing">): DataAge[];
  /** A cluster may be removed while its objects are read. */
  isPresent(cluster: string): boolean;
}

export function createAgeReader(options: {
  readonly inventory: Pick<ObjectInventory, "age">;
  readonly clusters: Pick<ClusterNames, "exists">;
}): AgeReader {
  const { inventory, clusters: known } = options;
  const isPresent = (cluster: string): boolean => known.exists(cluster);
  return {
    isPresent,
    read({ clusters, kinds, missing }) {
      return clusters
        .filter(({ name }) => isPresent(name))
        .map(({ name }) => toDataAge(inventory.age(name, kinds), kinds, missing.get(name)));
    },
  };
}

/** How old what the hub has of a cluster is; with kinds, how old those are. */
export function toDataAge(age: CopyAge, kinds?: ReadonlySet<string>, missing: readonly MissingKind[] = []): DataAge {
  const { cluster, state } = age;
  const asked = kinds === undefined ? age.kinds : age.kinds.filter(({ kind }) => kinds.has(kind));
  // An unavailable kind is a trouble of its own and doesn't make the others old.
  const counted = asked.filter((kind) => kind.state !== "unavailable");
  const oldest = kinds === undefined ? age : findOldest(counted);
  const troubles = asked.filter((kind) => kind.state !== "synced");
  return {
    cluster,
    state,
    ...(oldest?.verifiedAt !== undefined && { verifiedAt: oldest.verifiedAt }),
    ...(oldest?.ageMs !== undefined && { ageMs: oldest.ageMs }),
    ...(troubles.length > 0 && {
      troubles: troubles.map(({ kind, state: kindState, code, message }) => ({
        kind,
        state: kindState,
        ...(code !== undefined && { code }),
        ...(message !== undefined && { message }),
      })),
    }),
    ...(missing.length > 0 && { missing: [...missing] }),
  };
}

/** A kind that was never verified is older than any. */
function findOldest(kinds: readonly KindAge[]): Pick<KindAge, "verifiedAt" | "ageMs"> | undefined {
  return kinds.toSorted(
    (one, other) => (other.ageMs ?? Number.POSITIVE_INFINITY) - (one.ageMs ?? Number.POSITIVE_INFINITY),
  )[0];
}
