// Knows the links that are up, by cluster and role, and the callers that wait for one. New streams go to the link that
// carries the fewest: each of several agents gets its share, and a connection that is dead and not yet found out stops
// getting any. Among equals the newest goes first: after a reconnect the older one is the likelier to be dead.
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import type { LinkRecord } from "./record.ts";
import type { LinkList } from "./types.ts";

export interface LinkRegistry extends LinkList {
  list(): readonly LinkRecord[];
  add(record: LinkRecord): void;
  remove(record: LinkRecord): void;
  /** Called after a change of a record's stage, or of its link's state. */
  refresh(cluster: string): void;
}

export function createLinkRegistry(options: { readonly clock?: Clock } = {}): LinkRegistry {
  const { clock = systemClock } = options;
  const startedAt = clock.now();
  const records = new Set<LinkRecord>();
  // Read for every proxied request, rebuilt only when links come and go.
  const byKey = new Map<string, readonly LinkRecord[]>();
  /** The time when a cluster's role lost its last usable link. */
  const lostAt = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  return {
    connection: (cluster, role) => leastLoadedFirst(byKey.get(keyOf(cluster, role)) ?? none)[0],
    connections: (cluster, role) => leastLoadedFirst(byKey.get(keyOf(cluster, role)) ?? none),
    refusal: (cluster, role) =>
      [...records].findLast((record) => record.cluster === cluster && record.roles.includes(role) && record.refusal)
        ?.refusal,
    whenUsable,
    list: () => [...records],
    add(record) {
      records.add(record);
      index(record.cluster);
    },
    remove(record) {
      if (records.delete(record)) index(record.cluster);
    },
    refresh: index,
  };

  function index(cluster: string): void {
    const before = [...byKey.keys()].filter((key) => key.startsWith(`${cluster}/`));
    for (const key of before) byKey.delete(key);
    // A set keeps the order of arrival.
    for (const record of [...records].reverse()) {
      if (record.cluster !== cluster || record.isDraining || record.refusal || record.link.state !== "up") continue;
      for (const role of record.roles) {
        const key = keyOf(cluster, role);
        byKey.set(key, [...(byKey.get(key) ?? []), record]);
      }
    }
    for (const key of before) if (!byKey.has(key)) lostAt.set(key, clock.now());
    for (const [key, wakers] of waiting) {
      if (!byKey.has(key)) continue;
      lostAt.delete(key);
      for (const wake of wakers) wake();
    }
  }

  async function whenUsable(
    cluster: string,
    role: Role,
    { signal, timeoutMs }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<boolean> {
    const key = keyOf(cluster, role);
    if (byKey.has(key)) return true;
    if (!mayComeBack(cluster, role) || signal?.aborted) return false;
    const wakers = waiting.get(key) ?? new Set();
    waiting.set(key, wakers);
    return new Promise((resolve) => {
      const settle = (isUsable: boolean): void => {
        cancel();
        signal?.removeEventListener("abort", giveUp);
        wakers.delete(wake);
        if (wakers.size === 0) waiting.delete(key);
        resolve(isUsable);
      };
      const wake = (): void => settle(true);
      const giveUp = (): void => settle(false);
      const cancel = clock.after(timeoutMs, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      wakers.add(wake);
    });
  }

  /** A cluster that has been away for long isn't worth a wait. When the hub has just started, all of them may come. */
  function mayComeBack(cluster: string, role: Role): boolean {
    return clock.now() - (lostAt.get(keyOf(cluster, role)) ?? startedAt) < awaitedMs;
  }
}

/** Sorting costs nothing for a single link, which is the rule. */
function leastLoadedFirst(links: readonly LinkRecord[]): readonly LinkRecord[] {
  return links.length < 2 ? links : links.toSorted((one, other) => one.link.streamCount - other.link.streamCount);
}

function keyOf(cluster: string, role: Role): string {
  return `${cluster}/${role}`;
}

const none: readonly LinkRecord[] = [];
/** A link without a connection is kept for the same time. */
const awaitedMs = 30_000;
