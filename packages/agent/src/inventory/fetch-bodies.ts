// Fetches again what a session has to send and has no body of, while there is room for bodies.
import { Backoff, type Clock } from "@fairlead/kernel";
import type { ObjectFetcher, ObjectRef } from "../observe/index.ts";
import type { KindSync } from "./kind-sync.ts";
import type { LocalInventory } from "./local-inventory.ts";
import type { SyncSession } from "./session.ts";
import type { InventoryLog } from "./types.ts";

export interface BodyFetcherOptions {
  readonly session: SyncSession;
  readonly local: LocalInventory;
  readonly fetcher: ObjectFetcher;
  readonly clock: Clock;
  readonly log: InventoryLog;
  readonly signal: AbortSignal;
}

export interface BodyFetcher {
  /** There may be something to fetch. */
  look(): void;
}

export function createBodyFetcher(options: BodyFetcherOptions): BodyFetcher {
  const { session, local, fetcher, clock, log, signal } = options;
  /** Kinds that are being fetched, or wait after a failure. */
  const busy = new Set<string>();
  const backoffs = new Map<string, Backoff>();
  return { look };

  function look(): void {
    while (!signal.aborted && busy.size < kindsAtOnce) {
      const wanted = session.nextWanted((key) => busy.has(key));
      if (wanted === undefined) return;
      busy.add(wanted.sync.key);
      void fetchAll(wanted.sync, wanted.refs);
    }
  }

  async function fetchAll(sync: KindSync, refs: readonly ObjectRef[]): Promise<void> {
    const { key } = sync;
    try {
      for await (const item of fetcher.fetch(key, refs, signal)) {
        local.fetched(sync, item);
        while (local.bodies.isAhead && !signal.aborted) await local.bodies.room();
        if (signal.aborted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, kind: key, objects: refs.length }, "objects can't be fetched again; they are tried later");
    }
    const missing = refs.filter(({ uid }) => sync.dirty.isFetching(uid)).map(({ uid }) => uid);
    sync.dirty.unfetched(missing);
    if (missing.length === 0) backoffs.delete(key);
    const waitMs = missing.length === 0 ? 0 : nextWaitMs(key);
    if (waitMs === 0) release(key);
    else clock.after(waitMs, () => release(key));
  }

  function release(key: string): void {
    busy.delete(key);
    look();
  }

  function nextWaitMs(key: string): number {
    let backoff = backoffs.get(key);
    if (backoff === undefined) {
      backoff = new Backoff({ baseMs: 1_000, maxMs: 30_000 });
      backoffs.set(key, backoff);
    }
    return backoff.nextMs();
  }
}

const kindsAtOnce = 4;
