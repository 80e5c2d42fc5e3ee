// Objects that are held as JSON, as checks see them. They are read only when a check asks: most kinds of most clusters are
// never looked at.
import type { ClusterObject, ObjectSource } from "@fairlead/doctor";

export class HeldObject {
  readonly json: string;
  #known: ClusterObject | undefined;

  constructor(json: string) {
    this.json = json;
  }

  read(): ClusterObject {
    return this.#known ?? (JSON.parse(this.json) as ClusterObject);
  }

  /** The same object each time, kept for as long as this is held. */
  readOnce(): ClusterObject {
    this.#known = this.read();
    return this.#known;
  }
}

export class HeldSighting {
  readonly is = "seen" as const;
  readonly namespaces?: readonly string[];
  readonly #held: readonly HeldObject[];
  readonly #isRead: boolean;
  #objects: readonly ClusterObject[] | undefined;

  constructor(
    held: Iterable<HeldObject>,
    options: {
      readonly namespaces?: readonly string[] | undefined;
      /** An object that stays the same is read once. */
      readonly isRead?: boolean;
    } = {},
  ) {
    this.#held = [...held];
    this.#isRead = options.isRead ?? false;
    if (options.namespaces) this.namespaces = options.namespaces;
  }

  get objects(): readonly ClusterObject[] {
    this.#objects ??= this.#held.map((each) => (this.#isRead ? each.readOnce() : each.read()));
    return this.#objects;
  }

  /** Reads the objects one by one, unless all are read already. */
  get source(): ObjectSource {
    return { each: () => this.#each(), at: (index) => this.#objects?.[index] ?? this.#held[index]?.read() };
  }

  /** They are read again when a check asks again: as objects they take many times what they take as JSON. */
  forget(): void {
    this.#objects = undefined;
  }

  *#each(): Generator<ClusterObject> {
    if (this.#isRead || this.#objects) yield* this.objects;
    else for (const each of this.#held) yield each.read();
  }
}
