// Keeps the objects that were derived last, and tells observers of them as lists and changes. An object whose content
// stayed isn't told again.
import type { ObjectFetcher, ObservedKind, ObservedObject, ObserveHandler } from "../observe/index.ts";
import { ownKinds } from "./kinds.ts";

export class DerivedObjects {
  readonly #objects = new Map<string, ReadonlyMap<string, ObservedObject>>();

  owns(key: string): boolean {
    return ownKinds.some((kind) => kind.key === key);
  }

  /** Kinds that aren't named have no objects. */
  replace(found: ReadonlyMap<ObservedKind, readonly ObservedObject[]>, handler: ObserveHandler): void {
    for (const kind of ownKinds) this.#replaceKind(kind.key, found.get(kind) ?? [], handler);
  }

  /** The next ones are told as a whole list. */
  forget(): void {
    this.#objects.clear();
  }

  async *fetch(...[key, refs]: Parameters<ObjectFetcher["fetch"]>): ReturnType<ObjectFetcher["fetch"]> {
    for (const { uid } of refs) yield this.#objects.get(key)?.get(uid) ?? { uid, gone: true };
  }

  #replaceKind(key: string, found: readonly ObservedObject[], handler: ObserveHandler): void {
    const before = this.#objects.get(key);
    const now = new Map(found.map((object) => [object.uid, object]));
    this.#objects.set(key, now);
    if (!before) {
      handler.onListStart(key);
      for (const object of now.values()) void handler.onObject(key, object);
      void handler.onListed(key);
      return;
    }
    for (const object of now.values()) {
      if (before.get(object.uid)?.version !== object.version) void handler.onApplied(key, object);
    }
    for (const uid of before.keys()) if (!now.has(uid)) void handler.onDeleted(key, uid);
  }
}
