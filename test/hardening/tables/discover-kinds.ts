import type { KubeClient } from "@fairlead/kube";

export interface ServedKind {
  /** `deployments.apps`. */
  readonly kind: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
}

/** Each kind that can be listed, once. */
export async function discoverKinds(client: KubeClient): Promise<ServedKind[]> {
  const { groups } = await client.request<{ groups: Group[] }>({ path: "/apis" });
  const versions = groups.flatMap(({ name, preferredVersion, versions: all }) =>
    [preferredVersion, ...all].map(({ groupVersion }) => ({ group: name, path: `/apis/${groupVersion}` })),
  );
  const found = new Map<string, ServedKind>();
  for (const { group, path } of [{ group: "", path: "/api/v1" }, ...versions]) {
    const { resources } = await client.request<{ resources: Resource[] }>({ path });
    for (const { name, kind: kindName, namespaced, shortNames = [], verbs } of resources) {
      const kind = group === "" ? name : `${name}.${group}`;
      if (name.includes("/") || !verbs.includes("list") || found.has(kind)) continue;
      found.set(kind, { kind, kindName, namespaced, shortNames });
    }
  }
  return [...found.values()];
}

interface Group {
  readonly name: string;
  readonly preferredVersion: { readonly groupVersion: string };
  readonly versions: readonly { readonly groupVersion: string }[];
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly verbs: readonly string[];
}
