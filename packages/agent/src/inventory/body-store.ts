// Bodies that wait to be sent, over all kinds, bounded in bytes. A body that finds no room isn't lost: the object is
// fetched again when its turn comes.
export class BodyStore {
  readonly #maxBytes: number;
  readonly #bodies = new Map<string, Map<string, Body>>();
  readonly #waiting: (() => void)[] = [];
  #heldBytes = 0;

  constructor(options: { readonly maxBytes: number }) {
    this.#maxBytes = options.maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get isFull(): boolean {
    return this.#heldBytes >= this.#maxBytes;
  }

  /** Enough is held that sending doesn't wait for more: who brings bodies in order may pause. */
  get isAhead(): boolean {
    return this.#heldBytes >= this.#maxBytes / 4;
  }

  /** Little enough is held that fetching more makes sense. */
  get isLow(): boolean {
    return this.#heldBytes < this.#maxBytes / 2;
  }

  /** Replaces the body of another version. */
  put(kind: string, uid: string, body: Body, share: Share = "all"): boolean {
    this.drop(kind, uid);
    const sizeBytes = cost(uid, body);
    if (this.#heldBytes + sizeBytes > this.#maxBytes * shares[share]) return false;
    let ofKind = this.#bodies.get(kind);
    if (ofKind === undefined) {
      ofKind = new Map();
      this.#bodies.set(kind, ofKind);
    }
    ofKind.set(uid, body);
    this.#heldBytes += sizeBytes;
    return true;
  }

  has(kind: string, uid: string, version: bigint): boolean {
    return this.#bodies.get(kind)?.get(uid)?.version === version;
  }

  get(kind: string, uid: string, version: bigint): Uint8Array | undefined {
    const body = this.#bodies.get(kind)?.get(uid);
    return body?.version === version ? body.json : undefined;
  }

  drop(kind: string, uid: string): void {
    const ofKind = this.#bodies.get(kind);
    const body = ofKind?.get(uid);
    if (ofKind === undefined || body === undefined) return;
    ofKind.delete(uid);
    this.#release(cost(uid, body));
  }

  /** Lets go of a kind's bodies, but for those that are named. */
  dropKind(kind: string, keep: (uid: string) => boolean = () => false): void {
    const ofKind = this.#bodies.get(kind);
    if (ofKind === undefined) return;
    for (const uid of ofKind.keys()) if (!keep(uid)) this.drop(kind, uid);
    if (ofKind.size === 0) this.#bodies.delete(kind);
  }

  /** Resolves when little is held, or when `wakeAll` is called: who waits looks again. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #release(sizeBytes: number): void {
    this.#heldBytes -= sizeBytes;
    if (this.#waiting.length > 0 && this.#heldBytes < this.#maxBytes * 0.1875) this.wakeAll();
  }
}

/** How much of the room may be full afterwards. `beyond`: more than there is, for who waits until there is room. */
export type Share = "some" | "all" | "beyond";

const shares = { some: 0.125, all: 1, beyond: Number.POSITIVE_INFINITY };

export interface Body {
  readonly version: bigint;
  readonly json: Uint8Array;
}

/** Roughly the bytes of an entry, with those around its body. */
function cost(uid: string, body: Body): number {
  return body.json.byteLength + uid.length + 128;
}
