// The part of the inventory that the caller may see: whole clusters, or namespaces of clusters, for each kind. People
// see here what they could list through the hub's proxy; the same policy says so.
import type { Principal } from "../../people/access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import type { ObjectAccess } from "./types.ts";

export interface KindScope {
  /** Its key. */
  readonly kind: string;
  /** Clusters all of whose objects may be seen. */
  readonly clusters: readonly string[];
  /** Namespaces of others. */
  readonly namespaces: ReadonlyMap<string, readonly string[]>;
}

/** The sight of a kind of a cluster. */
export type Sight =
  | { readonly type: "whole" }
  | { readonly type: "namespaces"; readonly names: readonly string[] }
  | { readonly type: "none" };

/** Tells what is seen of some kinds of a cluster, one after the other. */
export function createSight(options: {
  readonly access: Pick<ObjectAccess, "authorize" | "namespacesOf">;
  readonly principal: Principal;
  readonly cluster: string;
  readonly verb?: "list" | "watch";
}): (kind: KindInfo) => Sight {
  const { access, principal, cluster } = options;
  let named: readonly string[] | undefined;
  return (kind) => {
    if (mayList({ ...options, kind, namespace: "" })) return { type: "whole" };
    if (!kind.namespaced) return { type: "none" };
    named ??= access.namespacesOf(principal, cluster);
    const names = named.filter((namespace) => namespace !== "" && mayList({ ...options, kind, namespace }));
    return names.length === 0 ? { type: "none" } : { type: "namespaces", names };
  };
}

export interface Scopes {
  add(cluster: string, kind: string, sight: Sight): void;
  list(): KindScope[];
}

export function gatherScopes(): Scopes {
  const scopes = new Map<string, { kind: string; clusters: string[]; namespaces: Map<string, readonly string[]> }>();
  return {
    list: () => [...scopes.values()],
    add(cluster, kind, sight) {
      if (sight.type === "none") return;
      const scope = scopes.get(kind) ?? { kind, clusters: [], namespaces: new Map<string, readonly string[]>() };
      scopes.set(kind, scope);
      if (sight.type === "whole") scope.clusters.push(cluster);
      else scope.namespaces.set(cluster, sight.names);
    },
  };
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
