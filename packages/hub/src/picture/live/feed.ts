// Reads committed changes from the store once for all who follow.
import type { Clock } from "@fairlead/kernel";
import type { InventoryReader } from "../inventory/index.ts";
import type { FoundRow, ObjectsRoom } from "../objects/index.ts";

export interface FeedListener {
  /** Keys of kinds; undefined: all. */
  readonly kinds: ReadonlySet<string> | undefined;
  follow(rows: readonly FoundRow[], range: { readonly from: number; readonly to: number }): void;
}

export interface ObjectFeed extends Disposable {
  add(listener: FeedListener): void;
  remove(listener: FeedListener): void;
  /** Revisions begin anew, and nobody listens yet. */
  reset(): void;
}

export function createObjectFeed(options: {
  readonly inventory: Pick<InventoryReader, "revision" | "onCommitted">;
  readonly store: ObjectsRoom["store"];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): ObjectFeed {
  const { inventory, store, clock, onError } = options;
  const listeners = new Set<FeedListener>();
  let revision = inventory.revision;
  let isReading = false;
  /** Another one after a reset. */
  let turn = 0;
  let cancel = (): void => undefined;
  const stop = inventory.onCommitted(() => schedule());
  return {
    add(listener) {
      // Nobody listened: what was committed meanwhile is read by the listener itself.
      if (listeners.size === 0 && !isReading) revision = inventory.revision;
      listeners.add(listener);
    },
    remove: (listener) => void listeners.delete(listener),
    reset() {
      turn += 1;
      revision = inventory.revision;
    },
    [Symbol.dispose]() {
      stop();
      cancel();
      listeners.clear();
    },
  };

  function schedule(waitMs = gatherMs): void {
    if (isReading || listeners.size === 0) return;
    isReading = true;
    cancel = clock.after(waitMs, () => {
      void read()
        .then(() => gatherMs, fail)
        .then((nextMs) => {
          isReading = false;
          if (inventory.revision > revision) schedule(nextMs);
        });
    });
  }

  function fail(error: unknown): number {
    onError(error);
    return againMs;
  }

  async function read(): Promise<void> {
    while (listeners.size > 0 && inventory.revision > revision) {
      const from = revision;
      const newest = inventory.revision;
      const begun = turn;
      const asked = new Set(listeners);
      const kinds = askedKinds();
      const { rows, hasMore } = await store.listChanged({ kinds, revision: from, upTo: newest, ...batchLimits });
      if (begun !== turn) continue;
      // Rows of kinds that nobody asks for aren't among them, so the last one says less than the newest revision.
      const last = Number(rows.at(-1)?.revision ?? 0);
      revision = hasMore ? last : Math.max(newest, last);
      // A listener that came while the rows were read wasn't asked for its kinds.
      for (const listener of [...listeners]) {
        if (asked.has(listener)) listener.follow(rows, { from, to: revision });
        else listener.follow([], { from: revision, to: revision });
      }
    }
  }

  function askedKinds(): string[] | undefined {
    const kinds = new Set<string>();
    for (const listener of listeners) {
      if (!listener.kinds) return undefined;
      for (const kind of listener.kinds) kinds.add(kind);
    }
    return [...kinds];
  }
}

/** So that a burst is one read. */
const gatherMs = 20;
/** After the store failed. */
const againMs = 1_000;
const batchLimits = { limit: 1_000, maxBytes: 8 * 1024 * 1024 };
