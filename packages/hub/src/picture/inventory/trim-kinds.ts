// Kinds over the bound of their cluster, as a hub that had none may have stored them: those with objects stay first.
import type { CopyStore } from "./copy-store.ts";
import type { ClusterRecord } from "./freshness.ts";
import type { Fence, Writer } from "./writer.ts";

/** Takes them out of memory at once; resolves when the store has none of them. */
export async function trimKinds(options: {
  readonly records: readonly (readonly [cluster: string, record: ClusterRecord])[];
  readonly clusters: CopyStore;
  readonly writer: Writer;
  readonly maxKinds: number;
  readonly fence?: Fence | undefined;
}): Promise<void> {
  const { records, clusters, writer, maxKinds, fence } = options;
  const surplus = records.flatMap(([cluster, { kinds }]) => {
    if (kinds.size <= maxKinds) return [];
    const byUse = [...kinds].sort(
      ([one, { objects }], [other, its]) => its.objects - objects || (one < other ? -1 : 1),
    );
    return [{ cluster, kinds, over: byUse.slice(maxKinds) }];
  });
  for (const { kinds, over } of surplus) for (const [kind] of over) kinds.delete(kind);
  for (const { cluster, over } of surplus) {
    for (const [kind, { objects }] of over) if (objects > 0) await writer.forget({ cluster, kind, fence });
    const names = over.map(([kind]) => kind);
    await writer.run((guard) => clusters.removeKinds(cluster, names, guard), { fence });
  }
}
