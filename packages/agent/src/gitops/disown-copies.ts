// Makes an autonomous cluster's former copies its own, as soon as the hub shows them. Otherwise the hub would have them
// deleted if the cluster became managed again and the hub's applications were gone by then.
import { type GitopsObject, type ReplicaSource, readStamps, withoutStamps } from "@fairlead/protocol";
import type { ClusterWriter } from "./cluster-writer.ts";
import { type ObjectCache, uidOf } from "./object-cache.ts";

export async function disownCopies(options: {
  readonly cache: ObjectCache;
  readonly source: Pick<ReplicaSource, "isSettled">;
  readonly writer: Pick<ClusterWriter, "replace">;
  readonly hubUid: string;
}): Promise<void> {
  const { cache, source, writer, hubUid } = options;
  for (const object of cache.objects) {
    if (readStamps(object.metadata)?.hubUid !== hubUid || !source.isSettled(uidOf(object))) continue;
    const result = await writer.replace(withoutAnyStamps(object));
    if (result.is === "written") cache.disown(result.object);
  }
}

function withoutAnyStamps(object: GitopsObject): GitopsObject {
  return { ...object, metadata: { ...object.metadata, annotations: withoutStamps(object.metadata.annotations) } };
}
