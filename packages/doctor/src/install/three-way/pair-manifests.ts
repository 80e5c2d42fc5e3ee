import type { ClusterObject } from "../../snapshot/index.ts";

export interface ManifestPair {
  readonly before: ClusterObject | undefined;
  readonly after: ClusterObject | undefined;
}

/**
 * The same object in two renderings: of the same group, kind, namespace and name, whatever its version. Objects that name
 * no namespace count for that of the release, as Helm and Argo CD take them.
 */
export function pairManifests(options: {
  readonly before: readonly ClusterObject[];
  readonly after: readonly ClusterObject[];
  readonly namespace: string;
}): readonly ManifestPair[] {
  const { namespace } = options;
  const before = byKey(options.before, namespace);
  const after = byKey(options.after, namespace);
  return [...new Set([...after.keys(), ...before.keys()])].map((key) => ({
    before: before.get(key),
    after: after.get(key),
  }));
}

function byKey(objects: readonly ClusterObject[], release: string): ReadonlyMap<string, ClusterObject> {
  return new Map(
    objects.map((object) => {
      const { apiVersion = "", kind, metadata } = object;
      const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
      return [JSON.stringify([group, kind, metadata.namespace ?? release, metadata.name]), object];
    }),
  );
}
