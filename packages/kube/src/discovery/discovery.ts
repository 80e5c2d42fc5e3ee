import type { KubeClient } from "../client/index.ts";
import type { ApiResource } from "../objects/index.ts";
import { discoverOneByOne } from "./legacy.ts";
import type { ApiCatalogue, UnavailableApi } from "./types.ts";

/**
 * Lists the kinds of an API server. Two requests are enough where it can tell all at once (since Kubernetes 1.26);
 * elsewhere each group and version takes one. An API whose own server is away is told of apart and fails nothing.
 */
export async function discoverApis(options: {
  readonly client: KubeClient;
  readonly signal?: AbortSignal | undefined;
}): Promise<ApiCatalogue> {
  const { client, signal } = options;
  const headers = { accept: aggregatedTypes };
  const answers = await Promise.all(
    ["/api", "/apis"].map((path) => client.request<AggregatedList | OtherList>({ path, headers, signal })),
  );
  const lists = answers.filter((answer) => answer.kind === "APIGroupDiscoveryList");
  if (lists.length < answers.length) return discoverOneByOne(options);
  const groups = lists.flatMap(({ items }) => items ?? []);
  return { resources: groups.flatMap(preferredResources), unavailable: groups.flatMap(staleVersions) };
}

/** The versions of a group come in the order of the server's preference. */
function preferredResources(group: AggregatedGroup): ApiResource[] {
  const byName = new Map<string, ApiResource>();
  for (const { version, resources } of group.versions ?? []) {
    for (const resource of resources ?? []) {
      // A resource without a kind is there for its subresources alone.
      if (!resource.responseKind?.kind || byName.has(resource.resource)) continue;
      byName.set(resource.resource, {
        group: group.metadata?.name ?? "",
        version,
        resource: resource.resource,
        kind: resource.responseKind.kind,
        singular: resource.singularResource ?? "",
        namespaced: resource.scope === "Namespaced",
        verbs: resource.verbs ?? [],
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
      });
    }
  }
  return [...byName.values()];
}

function staleVersions(group: AggregatedGroup): UnavailableApi[] {
  const stale = (group.versions ?? []).filter(({ freshness }) => freshness === "Stale");
  return stale.map(({ version }) => ({
    group: group.metadata?.name ?? "",
    version,
    message: "The API server can't reach the server of this API.",
  }));
}

interface AggregatedList {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly AggregatedGroup[];
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly AggregatedVersion[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly freshness?: "Current" | "Stale";
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: "Namespaced" | "Cluster";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface OtherList {
  readonly kind: "APIVersions" | "APIGroupList";
}

const aggregatedTypes = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");
