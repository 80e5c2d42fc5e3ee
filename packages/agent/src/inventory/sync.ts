// Keeps the hub's copy of the cluster true: feeds what is observed into the local sets all the time, and holds a call to
// the hub whenever this process leads and there is a link whose hub keeps copies.
import { Code, ConnectError } from "@connectrpc/connect";
import { Backoff, type Clock, isFairleadError, onAbort, orAbort, sleep } from "@fairlead/kernel";
import { capabilities, type InventoryRefusal, parseInventoryRefusal } from "@fairlead/protocol";
import type { Lead } from "../lead/index.ts";
import type { ObservedFeed } from "../observe/index.ts";
import { runCall } from "./call.ts";
import { LocalInventory } from "./local-inventory.ts";
import type { SessionOptions, SyncSession } from "./session.ts";
import type { InventoryLinks, InventoryLog, InventoryStats, KindState } from "./types.ts";

export interface InventorySyncOptions {
  readonly feed: ObservedFeed;
  readonly links: InventoryLinks;
  readonly lead: Pick<Lead, "untilLeading">;
  readonly instanceId: string;
  /** As it is known when a call begins. */
  readonly kubeSystemUid: () => Promise<string>;
  readonly clock: Clock;
  readonly log: InventoryLog;
  readonly random?: () => number;
  /** The hub says what the cluster is to be examined by; the last word holds, also while there is no call. */
  readonly onExamineBy?: SessionOptions["onExamineBy"];
  /** Bodies that wait to be sent. */
  readonly maxHeldBytes?: number;
}

export interface InventorySync {
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  stats(): InventoryStats;
}

export function createInventorySync(options: InventorySyncOptions): InventorySync {
  const { feed, links, lead, instanceId, kubeSystemUid, clock, log, random = Math.random, maxHeldBytes } = options;
  const local = new LocalInventory({ clock, ...(maxHeldBytes !== undefined && { maxHeldBytes }) });
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000, random });
  const past = { sessions: 0, changes: 0, bytes: 0 };
  let said: string | undefined;
  return { run, stats };

  async function run(signal: AbortSignal): Promise<void> {
    const untilDone = (error: unknown): void => {
      if (!signal.aborted) throw error;
    };
    using _listening = onAbort(signal, () => local.close());
    await Promise.all([feed.run(local, signal).catch(untilDone), holdCalls(signal).catch(untilDone)]);
  }

  async function holdCalls(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const term = await lead.untilLeading(signal);
      const until = AbortSignal.any([signal, term.signal]);
      const link = await untilLink(until).catch(() => undefined);
      if (link === undefined) continue;
      const uid = await orAbort(kubeSystemUid(), signal);
      const { moved, stop } = watchLink(link);
      const beganMs = clock.steadyMs();
      const over = AbortSignal.any([until, moved]);
      past.sessions++;
      const start = { kubeSystemUid: uid, agentInstanceId: instanceId, leaseEpoch: term.epoch };
      const error: unknown = await runCall({
        link,
        start,
        local,
        fetcher: feed.fetcher,
        clock,
        log,
        random,
        signal: over,
        onEnd: keepTotals,
        onExamineBy: options.onExamineBy,
      }).catch((thrown: unknown) => thrown);
      if (clock.steadyMs() - beganMs > stableMs) {
        backoff.reset();
        said = undefined;
      }
      if (!over.aborted) await sleep(explain(error), { clock, signal: over }).catch(() => undefined);
      stop();
    }
  }

  /** Says why a call ended, once as long as it stays the same, and how long to wait for the next. */
  function explain(error: unknown): number {
    const refusal = parseInventoryRefusal(error);
    const { level, text, waitMs } = refusal ? refusals[refusal] : describe(error);
    const err = error instanceof ConnectError && isFairleadError(error.cause) ? error.cause : error;
    const reason = err instanceof Error ? err.message : text;
    const isSaid = said === reason;
    said = reason;
    log[isSaid ? "debug" : level]({ ...(refusal && { code: refusal }), err }, text);
    return waitMs ?? backoff.nextMs();
  }

  async function untilLink(signal: AbortSignal): Promise<NonNullable<InventoryLinks["current"]>["link"]> {
    const { promise, resolve } = Promise.withResolvers<NonNullable<InventoryLinks["current"]>["link"]>();
    const look = (): void => {
      const { current } = links;
      if (current?.capabilities.includes(capabilities.inventory)) resolve(current.link);
    };
    const stop = links.onChange(look);
    look();
    return await orAbort(promise, signal).finally(stop);
  }

  function watchLink(link: unknown): { readonly moved: AbortSignal; readonly stop: () => void } {
    const controller = new AbortController();
    const look = (): void => {
      if (links.current?.link !== link) controller.abort(new Error("There is another link."));
    };
    const stop = links.onChange(look);
    look();
    return { moved: controller.signal, stop };
  }

  function keepTotals({ sent }: SyncSession): void {
    past.changes += sent.changes;
    past.bytes += sent.bytes;
  }

  function stats(): InventoryStats {
    const { session } = local;
    const kinds: Record<KindState, number> = { listing: 0, comparing: 0, synced: 0, unavailable: 0 };
    let objects = 0;
    for (const [key, kind] of local.kinds) {
      objects += kind.set.size;
      const alone = kind.unavailable ? "unavailable" : kind.isWhole ? "comparing" : "listing";
      kinds[session?.of(key)?.state ?? alone]++;
    }
    const pending = session?.pending() ?? { changes: 0, oldestMs: 0 };
    return {
      objects,
      kinds,
      isConnected: session?.isWelcome === true,
      pendingChanges: pending.changes,
      oldestPendingMs: pending.oldestMs,
      heldBytes: local.bodies.heldBytes,
      sessions: past.sessions,
      sentChanges: past.changes + (session?.sent.changes ?? 0),
      sentBytes: past.bytes + (session?.sent.bytes ?? 0),
      fetchedObjects: local.fetchedObjects,
    };
  }
}

interface Explanation {
  readonly level: "info" | "warn" | "error";
  readonly text: string;
  /** Undefined: a little longer each time. */
  readonly waitMs?: number;
}

function describe(error: unknown): Explanation {
  const code = error instanceof ConnectError ? error.code : undefined;
  if (code === Code.Unimplemented)
    return { level: "warn", text: "the hub doesn't serve the inventory's call", waitMs: 60_000 };
  return { level: "warn", text: "the inventory's call to the hub ended; the next one compares" };
}

const refusals: Readonly<Record<InventoryRefusal, Explanation>> = {
  INVENTORY_CLUSTER_REPLACED: {
    level: "error",
    text: "the hub has objects of another cluster under this name, and waits until an admin confirms this one",
    waitMs: 30_000,
  },
  INVENTORY_NOT_LEADER: {
    level: "warn",
    text: "another agent leads this cluster's observers, says the hub",
    waitMs: 10_000,
  },
};
const stableMs = 10_000;
