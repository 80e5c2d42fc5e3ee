import { isOlder } from "@fairlead/kube";
import type { GitopsObject } from "@fairlead/protocol";

/** Keeps the newest state of each object of a kind, from listings, watches, and answers to the hub's own writes. */
export class NewestObjects<Found extends GitopsObject = GitopsObject> {
  readonly #objects = new Map<string, Found>();

  get(uid: string): Found | undefined {
    return this.#objects.get(uid);
  }

  /** False: a newer one is known already. */
  take(object: Found): boolean {
    const { uid = "", resourceVersion = "" } = object.metadata;
    const known = this.#objects.get(uid);
    if (known !== undefined && isOlder(resourceVersion, known.metadata.resourceVersion ?? "")) return false;
    this.#objects.set(uid, object);
    return true;
  }

  values(): Iterable<Found> {
    return this.#objects.values();
  }

  drop(uid: string): void {
    this.#objects.delete(uid);
  }
}
