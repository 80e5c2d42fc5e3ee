// Loads the copies of all clusters when a hub starts.
import type { CopyStore } from "./copy-store.ts";
import type { Freshness } from "./freshness.ts";
import type { ObjectStore } from "./object-store.ts";

export async function loadCopies(
  store: { readonly clusters: CopyStore; readonly objects: ObjectStore },
  freshness: Freshness,
): Promise<void> {
  const { clusters, kinds } = await store.clusters.load();
  for (const row of clusters) freshness.need(row.cluster).row = row;
  for (const row of kinds) freshness.need(row.cluster).kinds.set(row.kind, { row, objects: 0 });
  for (const { cluster, kind, objects } of await store.objects.countObjects()) {
    const known = freshness.of(cluster)?.kinds.get(kind);
    if (known) known.objects = objects;
  }
}
