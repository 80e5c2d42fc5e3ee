// A subscription's question and what its caller may see, judged for each row that changed. From memory: it is on the
// path of every change to every subscriber.
import { Fields } from "@fairlead/kube";
import type { KindInfo } from "../inventory/index.ts";
import { type FoundObject, matchesFilter, type ObjectRequest } from "../objects/index.ts";

export interface View {
  readonly request: ObjectRequest;
  /** Keys; undefined: all, also those that come later. */
  readonly kinds: ReadonlySet<string> | undefined;
  /** `shown`: it is what is asked for; `gone`: it isn't, or isn't any more; undefined: it isn't the caller's to know. */
  judge(row: FoundObject): "shown" | "gone" | undefined;
  /** Rights may have changed: nothing that was found out before counts any more. */
  reset(): void;
}

export function createView(options: {
  readonly request: ObjectRequest;
  readonly isOfAnyKind: boolean;
  /** Without a namespace: all of them. */
  readonly mayWatch: (cluster: string, kind: KindInfo, namespace: string) => boolean;
  /** As the cluster has it. */
  readonly findKind: (cluster: string, kind: string) => KindInfo | undefined;
  /** True when the kind of this cluster is one that the filter names: a name may mean another one elsewhere. */
  readonly meansKind: (cluster: string, kind: string) => boolean;
  /** True when the filter's choice of clusters takes this one in. */
  readonly includesCluster: (cluster: string) => boolean;
}): View {
  const { request, isOfAnyKind, mayWatch, findKind, meansKind, includesCluster } = options;
  const { filter } = request;
  const kinds = isOfAnyKind ? undefined : request.kinds;
  const places = new Map<string, Place>();
  let namespaceCount = 0;
  return { request, kinds, judge, reset };

  function judge(row: FoundObject): "shown" | "gone" | undefined {
    if (kinds && !kinds.has(row.kind)) return undefined;
    // Neither ever changes: it wasn't among what is asked for before.
    if (filter.name !== undefined && filter.name !== row.name) return undefined;
    if (filter.namespaces && !filter.namespaces.includes(row.namespace)) return undefined;
    if (!isOpen(row)) return undefined;
    return row.deleted_at === null && matchesFilter(filter, row) ? "shown" : "gone";
  }

  function isOpen(row: FoundObject): boolean {
    const place = findPlace(row);
    if (place?.namespaces === undefined) return place?.isOpen ?? false;
    const { cluster, namespace } = row;
    const known = place.namespaces.get(namespace);
    if (known !== undefined) return known;
    const isVisible = mayWatch(cluster, place.kind, namespace);
    if (namespaceCount >= maxNamespaces) reset();
    namespaceCount += 1;
    place.namespaces.set(namespace, isVisible);
    return isVisible;
  }

  function findPlace(row: FoundObject): Place | undefined {
    const { cluster } = row;
    const key = `${cluster}/${row.kind}`;
    const known = places.get(key);
    if (known) return known;
    const info = findKind(cluster, row.kind);
    const kind = info ?? (row.deleted_at === null ? undefined : toGoneKind(row));
    // A kind that isn't known yet may be in a moment.
    if (!kind) return undefined;
    const isIncluded = includesCluster(cluster) && (!info || meansKind(cluster, row.kind));
    const isWhole = isIncluded && mayWatch(cluster, kind, "");
    const isPart = isIncluded && !isWhole && row.namespace !== "";
    const place: Place = { kind, isOpen: isWhole, namespaces: isPart ? new Map() : undefined };
    if (info) places.set(key, place);
    return place;
  }

  function reset(): void {
    places.clear();
    namespaceCount = 0;
  }
}

/** A kind of a cluster. */
interface Place {
  readonly kind: KindInfo;
  /** All of it. */
  readonly isOpen: boolean;
  /** Or some of its namespaces. */
  readonly namespaces: Map<string, boolean> | undefined;
}

/** A kind that is no longer observed, from what it left: who saw its objects has to be told that they are gone. */
function toGoneKind({ kind, namespace, body }: FoundObject): KindInfo {
  const [resource = "", ...group] = kind.split(".");
  const object = new Fields(body);
  return {
    kind,
    group: group.join("."),
    version: object.at("apiVersion").text()?.split("/").at(-1) ?? "v1",
    resource,
    kindName: object.at("kind").text() ?? "",
    namespaced: namespace !== "",
    shortNames: [],
  };
}

/** Remembered at a time, of all clusters and kinds together. */
const maxNamespaces = 4_096;
