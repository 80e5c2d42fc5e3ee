// Loads the copies of all clusters when a hub starts, and when the database was put back to an older state. What was known
// before is known until all is read: for people a kind never goes in between.
import type { CopyStore } from "./copy-store.ts";
import type { Freshness } from "./freshness.ts";
import type { ObjectStore } from "./object-store.ts";

export async function loadCopies(
  store: { readonly clusters: Pick<CopyStore, "load">; readonly objects: Pick<ObjectStore, "countObjects"> },
  freshness: Freshness,
): Promise<void> {
  const { clusters, kinds } = await store.clusters.load();
  const counts = await store.objects.countObjects();
  for (const [, record] of freshness.list()) record.kinds.clear();
  for (const row of clusters) freshness.need(row.cluster).row = row;
  for (const row of kinds) freshness.need(row.cluster).kinds.set(row.kind, { row, objects: 0 });
  for (const { cluster, kind, objects } of counts) {
    const known = freshness.of(cluster)?.kinds.get(kind);
    if (known) known.objects = objects;
  }
}
