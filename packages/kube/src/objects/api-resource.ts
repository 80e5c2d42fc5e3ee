/** A kind of object that an API server has, in the version that it prefers. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural in paths: `pods`. */
  readonly resource: string;
  /** `Pod`. */
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** The kind without its version: `pods`, `deployments.apps`. */
export function resourceKey(resource: Pick<ApiResource, "group" | "resource">): string {
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
}

export function apiVersionOf(resource: Pick<ApiResource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** Where it is found: all of it, one namespace of it, or one object. */
export function resourcePath(
  resource: Pick<ApiResource, "group" | "version" | "resource">,
  where: { readonly namespace?: string | undefined; readonly name?: string | undefined } = {},
): string {
  const root = resource.group === "" ? "/api" : "/apis";
  const namespace = where.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(where.namespace)}`;
  const name = where.name === undefined ? "" : `/${encodeURIComponent(where.name)}`;
  return `${root}/${apiVersionOf(resource)}${namespace}/${resource.resource}${name}`;
}
