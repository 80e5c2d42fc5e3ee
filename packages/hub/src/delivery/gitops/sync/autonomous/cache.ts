// Knows the newest state of the hub's objects of one kind in one namespace, and which of them are mirrors, from
// listings, watches, and answers to the hub's own writes.
import { isOlder } from "@fairlead/kube";
import type { GitopsObject } from "@fairlead/protocol";

export class MirrorCache {
  readonly #readSource: (object: GitopsObject) => string | undefined;
  readonly #byName = new Map<string, GitopsObject>();
  /** Uid in the cluster -> name here. */
  readonly #names = new Map<string, string>();
  /** Uid here -> uid in the cluster. Who takes the stamps off a mirror doesn't make it his own. */
  readonly #sources = new Map<string, string>();
  /** Answers to writes may come after the news of a deletion. */
  readonly #gone = new Set<string>();

  constructor(options: { readonly readSource: (object: GitopsObject) => string | undefined }) {
    this.#readSource = options.readSource;
  }

  at(name: string): GitopsObject | undefined {
    return this.#byName.get(name);
  }

  all(): Iterable<GitopsObject> {
    return this.#byName.values();
  }

  mirrorOf(sourceUid: string): GitopsObject | undefined {
    return this.#byName.get(this.#names.get(sourceUid) ?? "");
  }

  sourceOf(object: GitopsObject): string | undefined {
    return this.#sources.get(uidOf(object));
  }

  /** It is the mirror of this one from now on, whatever its stamps say. */
  claim(object: GitopsObject, sourceUid: string): void {
    const before = this.sourceOf(object);
    if (before !== undefined && before !== sourceUid) this.#names.delete(before);
    this.#sources.set(uidOf(object), sourceUid);
    this.#names.set(sourceUid, object.metadata.name);
  }

  /** It is known already, a newer one is, or it has gone since. */
  isPast(object: GitopsObject): boolean {
    const { name, resourceVersion = "" } = object.metadata;
    if (this.#gone.has(uidOf(object))) return true;
    const known = this.#byName.get(name)?.metadata.resourceVersion;
    return known !== undefined && (known === resourceVersion || isOlder(resourceVersion, known));
  }

  take(object: GitopsObject): void {
    const { name } = object.metadata;
    const source = this.sourceOf(object) ?? this.#readSource(object);
    if (source !== undefined && (this.#names.get(source) ?? name) === name) this.claim(object, source);
    this.#byName.set(name, object);
  }

  /** It is there, by a read that sees every write: an object that lost its label is told as if it were gone. */
  revive(object: GitopsObject): void {
    this.#gone.delete(uidOf(object));
  }

  /** Returns of what it was the mirror. */
  drop(object: GitopsObject): string | undefined {
    if (this.#gone.size >= maxGone) this.#gone.clear();
    this.#gone.add(uidOf(object));
    return this.#forget(object);
  }

  /**
   * A listing comes, which is the truth: objects that went may be back in a cluster that was restored from a backup. What is
   * known is still compared with it, by `missingIn`, and replaced by it, by `take`.
   */
  relist(): void {
    this.#gone.clear();
  }

  /** Those that are known and not among these. */
  missingIn(listed: readonly GitopsObject[]): readonly GitopsObject[] {
    const uids = new Set(listed.map(uidOf));
    return [...this.#byName.values()].filter((object) => !uids.has(uidOf(object)));
  }

  #forget(object: GitopsObject): string | undefined {
    const { name } = object.metadata;
    const source = this.sourceOf(object);
    this.#sources.delete(uidOf(object));
    const known = this.#byName.get(name);
    if (known !== undefined && uidOf(known) !== uidOf(object)) return undefined;
    this.#byName.delete(name);
    if (source !== undefined && this.#names.get(source) === name) this.#names.delete(source);
    return source;
  }
}

function uidOf({ metadata: { uid = "" } }: GitopsObject): string {
  return uid;
}

const maxGone = 10_000;
