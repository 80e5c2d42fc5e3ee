// What of the inventory the caller may see: of each kind whole clusters, or namespaces of clusters. What a person could
// list through the hub's proxy is what they see here; the same policy says so.
import type { Principal } from "../access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import type { ClusterListing, ObjectAccess } from "./types.ts";

export interface KindScope {
  readonly kind: KindInfo;
  /** Clusters all of whose objects may be seen. */
  readonly clusters: readonly string[];
  /** Namespaces of others. */
  readonly namespaces: ReadonlyMap<string, readonly string[]>;
}

export async function findScopes(options: {
  readonly access: ObjectAccess;
  readonly principal: Principal;
  readonly kinds: readonly KindInfo[];
  readonly clusters: readonly ClusterListing[];
  /** Namespaces that a cluster has objects in. */
  readonly listNamespaces: (cluster: string) => Promise<readonly string[]>;
  readonly verb?: "list" | "watch";
}): Promise<KindScope[]> {
  const { access, principal, kinds, clusters, listNamespaces, verb = "list" } = options;
  const namespacesOf = new Map<string, readonly string[]>();
  const scopes: KindScope[] = [];
  for (const kind of kinds) {
    const whole: string[] = [];
    const parts = new Map<string, readonly string[]>();
    for (const { name: cluster, kinds: own } of clusters) {
      if (!own.some((one) => one.kind === kind.kind)) continue;
      const maySee = (namespace: string): boolean => mayList({ access, principal, cluster, kind, namespace, verb });
      if (maySee("")) {
        whole.push(cluster);
        continue;
      }
      if (!kind.namespaced) continue;
      const all = namespacesOf.get(cluster) ?? (await listNamespaces(cluster));
      namespacesOf.set(cluster, all);
      const seen = all.filter((namespace) => namespace !== "" && maySee(namespace));
      if (seen.length > 0) parts.set(cluster, seen);
    }
    scopes.push({ kind, clusters: whole, namespaces: parts });
  }
  return scopes;
}

/** An empty namespace: all of them, or none for what has none. */
export function mayList(options: {
  readonly access: Pick<ObjectAccess, "authorize">;
  readonly principal: Principal;
  readonly cluster: string;
  readonly kind: Pick<KindInfo, "group" | "version" | "resource">;
  readonly namespace: string;
  readonly verb?: "list" | "watch" | "get";
}): boolean {
  const { access, principal, cluster, kind, namespace, verb = "list" } = options;
  const { group: apiGroup, version: apiVersion, resource } = kind;
  const attributes = {
    verb,
    isResource: true,
    path: "",
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource: "",
    name: "",
  };
  return access.authorize({ principal, cluster, attributes }).allowed;
}
