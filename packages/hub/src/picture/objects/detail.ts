// An object's own page: the object, what owns it, what it owns and its events.
import type { ObjectDetail, ObjectRef } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import { toDataAge } from "./ages.ts";
import { kindNotObserved, kindUnknown, objectsErrors } from "./errors.ts";
import { resolveBuiltIn, resolveKind } from "./kinds.ts";
import type { RequestReader } from "./request.ts";
import { mayList } from "./scope.ts";
import { toKindTable, toObjectItem, toObjectRef, toShownKind } from "./show.ts";
import { type FoundObject, maxOwners, type ObjectQueries, type ReferenceRow } from "./store.ts";
import type { Asking, ClusterListing, ObjectAccess, ObjectInventory } from "./types.ts";

export interface Details {
  /** Throws OBJECTS_NOT_FOUND, for what may not be seen as well. */
  get(ref: { readonly cluster: string; readonly uid: string }, asking: Asking): Promise<ObjectDetail>;
  getNamed(
    ref: { readonly cluster: string; readonly kind: string; readonly namespace: string; readonly name: string },
    asking: Asking,
  ): Promise<ObjectDetail>;
}

export function createDetails(options: {
  readonly access: Pick<ObjectAccess, "authorize">;
  readonly inventory: Pick<ObjectInventory, "age">;
  readonly requests: Pick<RequestReader, "listClusters">;
  readonly store: Pick<ObjectQueries, "findByUid" | "findOwners" | "findNamed" | "findChildren" | "findEvents">;
}): Details {
  const { access, inventory, requests, store } = options;
  return { get, getNamed };

  async function get(ref: { cluster: string; uid: string }, asking: Asking): Promise<ObjectDetail> {
    const cluster = findCluster(ref.cluster, asking.principal);
    // An object may be there by the names of two kinds, of which the caller may see one.
    return describe(cluster, await store.findByUid({ ...place(cluster), uid: ref.uid }), asking);
  }

  async function getNamed(
    ref: { cluster: string; kind: string; namespace: string; name: string },
    asking: Asking,
  ): Promise<ObjectDetail> {
    const cluster = findCluster(ref.cluster, asking.principal);
    const info = resolveKind(cluster.kinds, ref.kind);
    if (!info) throw whyNot(cluster, ref.kind);
    const { kind, namespaced } = info;
    const row = await store.findNamed({ ...ref, kind, namespace: namespaced ? ref.namespace : "" });
    return describe(cluster, row ? [row] : [], asking);
  }

  function findCluster(name: string, principal: Principal): ClusterListing {
    const [cluster] = requests.listClusters({ cluster: name }, { principal });
    if (!cluster) throw objectsErrors.OBJECTS_NOT_FOUND();
    return cluster;
  }

  async function describe(
    cluster: ClusterListing,
    found: readonly FoundObject[],
    { principal, nowMs }: Asking,
  ): Promise<ObjectDetail> {
    const { kinds } = cluster;
    const isSeen = (row: FoundObject, verb: "get" | "list"): boolean => {
      const kind = kinds.get(row.kind);
      return (
        kind !== undefined && mayList({ access, principal, cluster: row.cluster, kind, namespace: row.namespace, verb })
      );
    };
    const row = found.find((one) => isSeen(one, "get"));
    const info = row && kinds.get(row.kind);
    if (!info) throw objectsErrors.OBJECTS_NOT_FOUND();
    const shown = toShownKind(info);
    const refer = (one: FoundObject): ObjectRef => toObjectRef(one, kinds.get(one.kind));
    // A caller who may only get things by their names doesn't find names here.
    const isListed = (one: FoundObject): boolean => isSeen(one, "list");
    const eventKind = kinds.get("events");
    const ownKind = new Set([row.kind]);
    const events = eventKind && (await store.findEvents(cluster.name, subjectsOf(row))).filter(isListed);
    return {
      item: toObjectItem(row, shown, { nowMs, withObject: true }),
      table: toKindTable(shown),
      owners: (await findOwnerChain(row, cluster)).filter((one) => isSeen(one, "get")).map(refer),
      children: (await store.findChildren(cluster.name, row.uid)).filter(isListed).map(refer),
      events: eventKind
        ? (events ?? []).map((one) => toObjectItem(one, toShownKind(eventKind), { nowMs, withObject: false }))
        : [],
      age: toDataAge(inventory.age(cluster.name, ownKind), ownKind),
    };
  }

  async function findOwnerChain(row: FoundObject, cluster: ClusterListing): Promise<ReferenceRow[]> {
    const chain: ReferenceRow[] = [];
    const seen = new Set([row.uid]);
    let wanted = row.owners;
    // The cluster decides how many owners an object has. Owners may form a circle, and a long chain is a mistake.
    for (let depth = 0; depth < maxOwnerDepth && wanted.length > 0 && chain.length < maxOwners; depth += 1) {
      const found = (await store.findOwners({ ...place(cluster), uids: wanted })).filter(({ uid }) => !seen.has(uid));
      for (const { uid } of found) seen.add(uid);
      chain.push(...found);
      wanted = found.flatMap(({ owners }) => owners);
    }
    return chain.slice(0, maxOwners);
  }
}

function place({ name, kinds }: ClusterListing): { cluster: string; kinds: string[] } {
  return { cluster: name, kinds: kinds.values().map(({ kind }) => kind) };
}

function whyNot({ name, kinds }: ClusterListing, kind: string): Error {
  const builtIn = resolveBuiltIn(kind);
  if (!builtIn) return kindUnknown(kind);
  return kindNotObserved({ kinds: [builtIn.kind], clusters: [name], isObserved: kinds.values().length > 0 });
}

/** Finds the subjects that events name it by: kubelets put a node's name where the UID should be. */
function subjectsOf({ kind, uid, name }: FoundObject): string[] {
  return kind === "nodes" ? [uid, name] : [uid];
}

const maxOwnerDepth = 8;
