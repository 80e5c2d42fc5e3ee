import type { Snapshot } from "./snapshot.ts";

/** Several checks ask for the same: it is read once from each snapshot, which never changes, and kept as long as that. */
export function oncePerSnapshot<Result>(read: (snapshot: Snapshot) => Result): (snapshot: Snapshot) => Result {
  const known = new WeakMap<Snapshot, { readonly result: Result }>();
  return (snapshot) => {
    const found = known.get(snapshot) ?? { result: read(snapshot) };
    known.set(snapshot, found);
    return found.result;
  };
}
