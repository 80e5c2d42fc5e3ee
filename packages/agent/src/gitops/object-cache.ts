import { isOlder } from "@fairlead/kube";
import { type GitopsObject, readStamps } from "@fairlead/protocol";

export interface CacheListener {
  changed(object: GitopsObject): void;
  gone(object: GitopsObject, how: Departure): void;
  /** All is known, by listings of all namespaces. Told after what changed by it. */
  listed(): void;
}

export interface Departure {
  /** Its deletion was told. Otherwise a listing lacked it, or it became a copy of something else. */
  readonly isSeen: boolean;
  /** The uid of the hub's object that it was the copy of. */
  readonly source: string | undefined;
}

/** Knows the newest state of each object of a kind in the cluster, from watches and from answers to own writes. */
export class ObjectCache {
  readonly #objects = new Map<string, GitopsObject>();
  readonly #byPlace = new Map<string, string>();
  readonly #bySource = new Map<string, string>();
  readonly #sources = new Map<string, string>();
  /** Answers to writes may come after the news of a deletion. */
  readonly #gone = new Set<string>();
  readonly #unlisted: Set<string>;
  readonly #listeners = new Set<CacheListener>();

  constructor(namespaces: readonly string[]) {
    this.#unlisted = new Set(namespaces);
  }

  get isListed(): boolean {
    return this.#unlisted.size === 0;
  }

  get objects(): readonly GitopsObject[] {
    return [...this.#objects.values()];
  }

  get(uid: string): GitopsObject | undefined {
    return this.#objects.get(uid);
  }

  at({ namespace, name }: { readonly namespace: string; readonly name: string }): GitopsObject | undefined {
    return this.#objects.get(this.#byPlace.get(`${namespace}/${name}`) ?? "");
  }

  /** The copy of an object of the hub. Who copies a copy, stamps and all, makes no second one. */
  copyOf(sourceUid: string): GitopsObject | undefined {
    return this.#objects.get(this.#bySource.get(sourceUid) ?? "");
  }

  /** The uid of the hub's object that this one is the copy of. It stays a copy when somebody takes its stamps off. */
  sourceOf(object: GitopsObject): string | undefined {
    return this.#sources.get(uidOf(object));
  }

  /** It is nobody's copy any more. */
  disown(object: GitopsObject): void {
    const source = this.sourceOf(object);
    this.#sources.delete(uidOf(object));
    if (source !== undefined) this.#bySource.delete(source);
  }

  /**
   * A listing is the truth, whatever is known: the versions of a cluster that was restored from a backup begin anew. The
   * watch that follows it tells of own writes that it lacks.
   */
  list(namespace: string, objects: readonly GitopsObject[]): void {
    const listed = new Set(objects.map(uidOf));
    this.#gone.clear();
    for (const object of this.objects) {
      const isMissing = object.metadata.namespace === namespace && !listed.has(uidOf(object));
      if (isMissing) this.#forget(object, false);
    }
    for (const object of objects) this.#put(object);
    this.#unlisted.delete(namespace);
    if (!this.isListed) return;
    for (const listener of [...this.#listeners]) listener.listed();
  }

  /** Passes over an older one than is known: answers to own writes and the news of a watch cross each other. */
  take(object: GitopsObject): void {
    const uid = uidOf(object);
    if (this.#gone.has(uid)) return;
    const known = this.#objects.get(uid);
    const { resourceVersion = "" } = object.metadata;
    if (known !== undefined && isOlder(resourceVersion, known.metadata.resourceVersion ?? "")) return;
    if (known?.metadata.resourceVersion === resourceVersion) return;
    this.#put(object);
  }

  drop(object: GitopsObject): void {
    const uid = uidOf(object);
    if (this.#gone.size >= maxGone) this.#gone.clear();
    this.#gone.add(uid);
    this.#forget(this.#objects.get(uid) ?? object, true);
  }

  /** Returns the way to stop that. */
  listen(listener: CacheListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(object: GitopsObject): void {
    const uid = uidOf(object);
    this.#noteSource(object);
    this.#objects.set(uid, object);
    this.#byPlace.set(placeKey(object), uid);
    for (const listener of [...this.#listeners]) listener.changed(object);
  }

  #noteSource(object: GitopsObject): void {
    const uid = uidOf(object);
    const source = readStamps(object.metadata)?.sourceUid;
    const before = this.#sources.get(uid);
    if (source === undefined || source === before) return;
    if (before !== undefined) this.#forget(this.#objects.get(uid) ?? object, false);
    if (this.#bySource.has(source)) return;
    this.#bySource.set(source, uid);
    this.#sources.set(uid, source);
  }

  #forget(object: GitopsObject, isSeen: boolean): void {
    const uid = uidOf(object);
    const source = this.#sources.get(uid);
    this.#objects.delete(uid);
    this.#sources.delete(uid);
    if (source !== undefined) this.#bySource.delete(source);
    if (this.#byPlace.get(placeKey(object)) === uid) this.#byPlace.delete(placeKey(object));
    for (const listener of [...this.#listeners]) listener.gone(object, { isSeen, source });
  }
}

export function uidOf({ metadata: { uid = "" } }: GitopsObject): string {
  return uid;
}

function placeKey({ metadata: { namespace, name } }: GitopsObject): string {
  return `${namespace}/${name}`;
}

const maxGone = 10_000;
