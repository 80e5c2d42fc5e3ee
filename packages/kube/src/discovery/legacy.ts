import { isFairleadError } from "@fairlead/kernel";
import type { KubeClient } from "../client/index.ts";
import type { ApiResource } from "../objects/index.ts";
import type { ApiCatalogue, UnavailableApi } from "./types.ts";

/** Discovery as it was before aggregation: which groups, which versions of each, which resources of each version. */
export async function discoverOneByOne(options: {
  readonly client: KubeClient;
  readonly signal?: AbortSignal | undefined;
}): Promise<ApiCatalogue> {
  const { client, signal } = options;
  const [core, { groups = [] }] = await Promise.all([
    client.request<{ versions?: string[] }>({ path: "/api", signal }),
    client.request<{ groups?: ApiGroup[] }>({ path: "/apis", signal }),
  ]);
  const wanted = [
    { group: "", versions: core.versions ?? [] },
    ...groups.map((group) => ({ group: group.name, versions: inOrderOfPreference(group) })),
  ];
  const resources = new Map<string, ApiResource>();
  const unavailable: UnavailableApi[] = [];
  for (const { group, versions } of wanted) {
    for (const version of versions) {
      try {
        for (const resource of await readVersion({ client, signal, group, version })) {
          const key = `${group}/${resource.resource}`;
          if (!resources.has(key)) resources.set(key, resource);
        }
      } catch (error) {
        if (!isFairleadError(error) || signal?.aborted) throw error;
        unavailable.push({ group, version, message: error.message });
      }
    }
  }
  return { resources: [...resources.values()], unavailable };
}

function inOrderOfPreference({ preferredVersion, versions = [] }: ApiGroup): string[] {
  const preferred = preferredVersion?.version;
  const others = versions.map(({ version }) => version).filter((version) => version !== preferred);
  return preferred === undefined ? others : [preferred, ...others];
}

/** The kinds of one version of one group, as they are now. A version that isn't there is KUBE_NOT_FOUND. */
export async function readVersion(options: {
  readonly client: Pick<KubeClient, "request">;
  readonly signal?: AbortSignal | undefined;
  readonly group: string;
  readonly version: string;
}): Promise<ApiResource[]> {
  const { client, signal, group, version } = options;
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const { resources = [] } = await client.request<{ resources?: LegacyResource[] }>({ path, signal });
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => ({
      group,
      version,
      resource: resource.name,
      kind: resource.kind,
      singular: resource.singularName ?? "",
      namespaced: resource.namespaced,
      verbs: resource.verbs ?? [],
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
    }));
}

interface ApiGroup {
  readonly name: string;
  readonly versions?: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version?: string };
}

interface LegacyResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}
