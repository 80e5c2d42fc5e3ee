// Remembers what a watch was told, and tells it the rest.
import { matchesLabels } from "@fairlead/kernel";
import { parseLabelSelector } from "../../../picture/objects/index.ts";
import type { HubObjectsHandler, WatchScope } from "../types.ts";
import type { ObjectChange, StoredObject } from "./types.ts";

export interface Watcher {
  readonly scope: WatchScope;
  /** Up to which revision it was told all. Undefined: it is to be told a listing. */
  readonly position: bigint | undefined;
  list(objects: readonly StoredObject[], revision: bigint): void;
  /** In the order of revisions. What it knows already is left out. */
  tell(change: ObjectChange): void;
  /** There is nothing more up to this revision. */
  pass(revision: bigint): void;
  /** Forces a new listing: the known objects may be another database's, or deletions may be missed. */
  forgetPosition(): void;
  fail(reason: string): void;
}

/** Throws OBJECTS_SELECTOR_INVALID. */
export function createWatcher(scope: WatchScope, handler: HubObjectsHandler): Watcher {
  const requirements = parseLabelSelector(scope.labelSelector);
  const told = new Map<string, StoredObject>();
  let position: bigint | undefined;
  return {
    scope,
    get position() {
      return position;
    },

    list(objects, revision) {
      told.clear();
      for (const each of objects) if (isMeant(each)) told.set(each.uid, each);
      position = revision;
      handler.listed([...told.values()].map(({ object }) => object));
    },

    tell(change) {
      const { kind, namespace, uid, revision, object } = change;
      if (position === undefined || revision <= position) return;
      if (kind !== scope.kind || (scope.namespace !== undefined && namespace !== scope.namespace)) return;
      const before = told.get(uid);
      if (object !== undefined && isMeant({ ...change, object })) {
        told.set(uid, { ...change, object });
        handler.changed(object);
        return;
      }
      told.delete(uid);
      if (before !== undefined) handler.deleted(object ?? before.object);
    },

    pass(revision) {
      if (position !== undefined && revision > position) position = revision;
    },

    forgetPosition() {
      position = undefined;
    },

    fail: (reason) => handler.unavailable(reason),
  };

  function isMeant({ object }: StoredObject): boolean {
    return matchesLabels(requirements, object.metadata.labels ?? {});
  }
}
