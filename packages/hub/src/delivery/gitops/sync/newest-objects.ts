import { isOlder } from "@fairlead/kube";
import type { GitopsObject } from "@fairlead/protocol";

/** Keeps the newest state of each object of a kind, from listings, watches, and answers to the hub's own writes. */
export class NewestObjects<Found extends GitopsObject = GitopsObject> {
  readonly #objects = new Map<string, Found>();

  get(uid: string): Found | undefined {
    return this.#objects.get(uid);
  }

  /**
   * Takes objects of a listing as the truth: the versions of a cluster that was restored from a backup begin anew. The
   * watch that follows the listing tells of own writes that it lacks.
   */
  list(objects: Iterable<Found>): void {
    for (const object of objects) this.#objects.set(object.metadata.uid ?? "", object);
  }

  /** False: a newer one is known already. Answers to own writes and the news of a watch cross each other. */
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
