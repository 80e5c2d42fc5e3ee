// The agent's knowledge of its cluster, over calls: the sets of all kinds, fed by what is observed. While a call is
// open each change is passed to it.
import type { Clock } from "@fairlead/kernel";
import type { ObservedKind, ObservedObject, ObserveHandler } from "../observe/index.ts";
import { BodyStore, type Share } from "./body-store.ts";
import { KindSet } from "./kind-set.ts";
import type { KindSync } from "./kind-sync.ts";
import type { SyncSession } from "./session.ts";
import type { LocalKind } from "./types.ts";

export interface LocalInventoryOptions {
  readonly clock: Clock;
  readonly maxHeldBytes?: number;
  /** How long a first list waits to learn whether the hub needs all of it. */
  readonly undecidedMs?: number;
}

export class LocalInventory implements ObserveHandler {
  readonly bodies: BodyStore;
  readonly #clock: Clock;
  readonly #undecidedMs: number;
  readonly #kinds = new Map<string, LocalKind>();
  #session: SyncSession | undefined;
  #lastId = 0;
  #isComplete = false;
  #isClosed = false;
  fetchedObjects = 0;

  constructor(options: LocalInventoryOptions) {
    const { clock, maxHeldBytes = 4 * 1024 * 1024, undecidedMs = 10_000 } = options;
    this.bodies = new BodyStore({ maxBytes: maxHeldBytes });
    this.#clock = clock;
    this.#undecidedMs = undecidedMs;
  }

  get kinds(): ReadonlyMap<string, LocalKind> {
    return this.#kinds;
  }

  get session(): SyncSession | undefined {
    return this.#session;
  }

  /** Changes go to this call from now on. */
  attach(session: SyncSession): void {
    this.#session = session;
    for (const kind of this.#kinds.values()) session.describe(kind);
    if (this.#isComplete) session.complete();
    this.bodies.wakeAll();
  }

  detach(session: SyncSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    session.end();
  }

  /** Nobody is made to wait any more. */
  close(): void {
    this.#isClosed = true;
    this.bodies.wakeAll();
  }

  onKind(description: ObservedKind): void {
    let kind = this.#kinds.get(description.key);
    if (kind) kind.description = description;
    else {
      kind = {
        id: ++this.#lastId,
        description,
        set: new KindSet(),
        isWhole: false,
        firstListAtMs: undefined,
        listAtMs: undefined,
        aliveAtMs: undefined,
        unavailable: undefined,
      };
      this.#kinds.set(description.key, kind);
    }
    this.#session?.describe(kind);
  }

  onKindGone(key: string): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    this.#kinds.delete(key);
    this.bodies.dropKind(key);
    this.#session?.forget(kind);
  }

  onKindsComplete(): void {
    this.#isComplete = true;
    this.#session?.complete();
  }

  onListStart(key: string): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    kind.isWhole = false;
    kind.listAtMs = this.#clock.steadyMs();
    kind.firstListAtMs ??= kind.listAtMs;
    kind.set.beginList();
  }

  onObject(key: string, object: ObservedObject): void | Promise<void> {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    this.#put(kind, object, this.#mayWait(kind) ? "beyond" : undefined);
    if (this.#mustWait(kind)) return this.#whenRoom(kind);
  }

  onListed(key: string): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    const sync = this.#session?.of(key);
    for (const uid of kind.set.endList()) this.#gone(kind, uid, sync);
    kind.isWhole = true;
    kind.unavailable = undefined;
    // A list shows what was there when it began.
    kind.aliveAtMs = Math.max(kind.aliveAtMs ?? 0, kind.listAtMs ?? 0);
    this.#isWhole(sync);
  }

  onApplied(key: string, object: ObservedObject): void {
    const kind = this.#kinds.get(key);
    if (kind) this.#put(kind, object);
  }

  onDeleted(key: string, uid: string): void {
    const kind = this.#kinds.get(key);
    if (kind?.set.remove(uid)) this.#gone(kind, uid, this.#session?.of(key));
  }

  onAlive(key: string): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    kind.aliveAtMs = this.#clock.steadyMs();
    if (kind.unavailable === undefined) return;
    kind.unavailable = undefined;
    this.#isWhole(this.#session?.of(key));
  }

  onUnavailable(key: string, error: { readonly code: string; readonly message: string }): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    const { code, message } = error;
    if (kind.unavailable?.code === code && kind.unavailable.message === message) return;
    kind.unavailable = { code, message };
    const sync = this.#session?.of(key);
    // Nobody knows when the list that they were of use for comes.
    this.bodies.dropKind(key, (uid) => sync?.dirty.isWaiting(uid) === true);
    if (sync) this.#session?.tell(sync);
  }

  /**
   * Takes an answer to what the session wanted. An object that has changed since then isn't taken: the change is newer.
   */
  fetched(sync: KindSync, item: ObservedObject | { readonly uid: string; readonly gone: true }): void {
    const { local: kind, dirty } = sync;
    if (this.#session?.of(sync.key) !== sync) return;
    if (!dirty.isFetching(item.uid)) return;
    if ("gone" in item) {
      kind.set.remove(item.uid);
      this.#gone(kind, item.uid, sync);
      return;
    }
    this.fetchedObjects++;
    kind.set.put(item);
    const { version, json } = item;
    this.bodies.put(sync.key, item.uid, { version, json }, "beyond");
    sync.changed(item.uid, true);
    this.#session?.wake();
  }

  #put(kind: LocalKind, object: ObservedObject, share?: Share): void {
    const { uid, version, json } = object;
    const { key } = kind.description;
    const sync = this.#session?.of(key);
    const isChanged = kind.set.put(object);
    if (!isChanged && !sync?.needs(uid)) return;
    // Bodies that may turn out to be of no use leave room for those that are.
    const usualShare = sync && !sync.isTracking ? "some" : "all";
    const isHeld = this.bodies.put(key, uid, { version, json }, share ?? usualShare);
    if (sync === undefined || !(isChanged || isHeld)) return;
    sync.changed(uid, isHeld);
    this.#session?.wake();
  }

  #gone(kind: LocalKind, uid: string, sync: KindSync | undefined): void {
    this.bodies.drop(kind.description.key, uid);
    if (sync === undefined) return;
    sync.removed(uid);
    this.#session?.wake();
  }

  #isWhole(sync: KindSync | undefined): void {
    if (sync === undefined) return;
    if (sync.local.isWhole) sync.whole();
    this.#session?.tell(sync);
  }

  /**
   * A list whose objects all go to the hub runs no faster than they go; a first one waits a while to learn whether they
   * do. Any other list runs through, and lets go of the bodies that find no room.
   */
  #mayWait(kind: LocalKind): boolean {
    if (this.#isClosed) return false;
    const sync = this.#session?.of(kind.description.key);
    if (sync?.isStreaming) return true;
    const isUndecided = sync?.isUndecided ?? true;
    return isUndecided && this.#undecidedLeftMs(kind) > 0;
  }

  #mustWait(kind: LocalKind): boolean {
    if (!this.#mayWait(kind)) return false;
    const isStreaming = this.#session?.of(kind.description.key)?.isStreaming === true;
    return isStreaming ? this.bodies.isAhead : this.bodies.isFull;
  }

  #undecidedLeftMs(kind: LocalKind): number {
    return (kind.firstListAtMs ?? this.#clock.steadyMs()) + this.#undecidedMs - this.#clock.steadyMs();
  }

  async #whenRoom(kind: LocalKind): Promise<void> {
    while (this.#mustWait(kind)) {
      const cancel = this.#clock.after(Math.max(1, this.#undecidedLeftMs(kind)), () => this.bodies.wakeAll());
      await this.bodies.room();
      cancel();
    }
  }
}
