// Objects that are held as JSON, as checks see them. They are read only when a check asks: most kinds of most clusters are
// never looked at.
import type { ClusterObject, ObjectSource } from "@fairlead/doctor";

export class HeldSighting {
  readonly is = "seen" as const;
  readonly namespaces?: readonly string[];
  readonly #held: readonly Buffer[];
  readonly #isRead: boolean;
  #objects: readonly ClusterObject[] | undefined;

  constructor(
    held: Iterable<Buffer>,
    options: {
      readonly namespaces?: readonly string[] | undefined;
      /** An object that stays the same is read once, and kept for as long as it is held. */
      readonly isRead?: boolean;
    } = {},
  ) {
    this.#held = [...held];
    this.#isRead = options.isRead ?? false;
    if (options.namespaces) this.namespaces = options.namespaces;
  }

  get objects(): readonly ClusterObject[] {
    this.#objects ??= this.#held.map((json) => (this.#isRead ? readOnce(json) : read(json)));
    return this.#objects;
  }

  /** One by one, unless all are read already. */
  get source(): ObjectSource {
    return { each: () => this.#each(), at: (index) => this.#at(index) };
  }

  /** They are read again when a check asks again: as objects they take many times what they take as JSON. */
  forget(): void {
    this.#objects = undefined;
  }

  *#each(): Generator<ClusterObject> {
    if (this.#isRead || this.#objects) yield* this.objects;
    else for (const json of this.#held) yield read(json);
  }

  #at(index: number): ClusterObject | undefined {
    const json = this.#held[index];
    return this.#objects ? this.#objects[index] : json && read(json);
  }
}

const known = new WeakMap<Buffer, ClusterObject>();

function readOnce(json: Buffer): ClusterObject {
  const object = known.get(json) ?? read(json);
  known.set(json, object);
  return object;
}

function read(json: Buffer): ClusterObject {
  return JSON.parse(json.toString("utf8")) as ClusterObject;
}
