import type { ClusterObject } from "./cluster-object.ts";
import type { Sighting, Snapshot } from "./snapshot.ts";

/**
 * Reads the objects of a resource that were seen. A reader that shows a sighting again says that nothing changed, and what
 * was made of it is used again: by all checks of an examination, and by the next examination.
 */
export function oncePerSighting<Result>(
  resource: string,
  read: (objects: Iterable<ClusterObject>) => Result,
): (snapshot: Snapshot) => Result {
  const known = new WeakMap<Sighting, { readonly result: Result }>();
  return (snapshot) => {
    const sighting = snapshot.see(resource);
    if (!sighting) return read([]);
    const found = known.get(sighting) ?? { result: read(sighting.source?.each() ?? sighting.objects) };
    known.set(sighting, found);
    return found.result;
  };
}
