// Kinds over the bound of their cluster, as a hub that had none may have stored them: those with objects stay first.
import type { CopyStore } from "./copy-store.ts";
import type { Freshness } from "./freshness.ts";
import type { Writer } from "./writer.ts";

/** Takes them out of memory at once; resolves when the store has none of them. */
export async function trimKinds(options: {
  readonly freshness: Freshness;
  readonly clusters: CopyStore;
  readonly writer: Writer;
  readonly maxKinds: number;
}): Promise<void> {
  const { freshness, clusters, writer, maxKinds } = options;
  const surplus = freshness.list().flatMap(([cluster, { kinds }]) => {
    if (kinds.size <= maxKinds) return [];
    const byUse = [...kinds].sort(
      ([one, { objects }], [other, its]) => its.objects - objects || (one < other ? -1 : 1),
    );
    return [{ cluster, over: byUse.slice(maxKinds) }];
  });
  for (const { cluster, over } of surplus) {
    for (const [kind] of over) freshness.need(cluster).kinds.delete(kind);
  }
  for (const { cluster, over } of surplus) {
    for (const [kind, { objects }] of over) if (objects > 0) await writer.forget({ cluster, kind });
    const names = over.map(([kind]) => kind);
    await writer.run(() => clusters.removeKinds(cluster, names));
  }
}
