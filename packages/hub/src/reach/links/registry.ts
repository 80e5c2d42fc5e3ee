// Knows the links that are up, by cluster and role, and the callers that wait for one. New streams go to the link that
// carries the fewest: each of several agents gets its share, and a connection that is dead and not yet found out stops
// getting any. Among equals the newest goes first: after a reconnect the older one is the likelier to be dead. A link
// that another hub holds comes after all of this hub's own, as the way there is longer.
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Link, Role } from "@fairlead/protocol";
import type { LinkRecord } from "./record.ts";
import type { LinkList, PresentLinks, RemoteLink } from "./types.ts";

export interface LinkRegistry extends LinkList, PresentLinks {
  list(): readonly LinkRecord[];
  add(record: LinkRecord): void;
  remove(record: LinkRecord): void;
  /** Called after a change of a record's stage, or of its link's state. */
  refresh(cluster: string): void;
  /** Another hub's link, new or changed. */
  putRemote(link: RemoteLink): void;
  removeRemote(link: Pick<RemoteLink, "id" | "cluster">): void;
  /** This hub's own links to the cluster. */
  own(cluster: string): readonly LinkRecord[];
  /** This hub's record of the link. */
  find(link: Link): LinkRecord | undefined;
  /** Calls back after this hub's own links of a cluster changed. */
  onChanged(listener: (cluster: string) => void): () => void;
}

export function createLinkRegistry(options: { readonly clock?: Clock } = {}): LinkRegistry {
  const { clock = systemClock } = options;
  const startedAt = clock.steadyMs();
  const records = new Map<Link, LinkRecord>();
  const byCluster = new Map<string, ClusterLinks>();
  const waiting = new Map<string, Set<() => void>>();
  const listeners = new Set<(cluster: string) => void>();

  return {
    connections(cluster, role) {
      const links = byCluster.get(cluster);
      if (!links) return none;
      const own = links.usable.get(role) ?? none;
      const remote = links.reachable.get(role);
      return remote === undefined ? leastLoadedFirst(own) : [...leastLoadedFirst(own), ...remote];
    },
    refusal(cluster, role) {
      const links = byCluster.get(cluster);
      if (!links) return undefined;
      return [...links.remote.values(), ...links.own].findLast(({ roles, refusal }) => roles.includes(role) && refusal)
        ?.refusal;
    },
    whenUsable,
    list: () => [...records.values()],
    present: () => [...byCluster.values()].flatMap(({ own, remote }) => [...own, ...remote.values()]),
    presentOf(cluster) {
      const links = byCluster.get(cluster);
      return links ? [...links.own, ...links.remote.values()] : [];
    },
    find: (link) => records.get(link),
    own: (cluster) => [...(byCluster.get(cluster)?.own ?? [])],
    add(record) {
      records.set(record.link, record);
      need(record.cluster).own.add(record);
      refresh(record.cluster);
    },
    remove(record) {
      if (!records.delete(record.link)) return;
      need(record.cluster).own.delete(record);
      refresh(record.cluster);
    },
    refresh,
    putRemote(link) {
      need(link.cluster).remote.set(link.id, link);
      index(link.cluster);
    },
    removeRemote({ id, cluster }) {
      if (byCluster.get(cluster)?.remote.delete(id)) index(cluster);
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function refresh(cluster: string): void {
    index(cluster);
    for (const listener of listeners) listener(cluster);
  }

  /** Kept when its links are gone, since it knows when that was. */
  function need(cluster: string): ClusterLinks {
    const known = byCluster.get(cluster);
    if (known !== undefined) return known;
    const links: ClusterLinks = {
      own: new Set(),
      remote: new Map(),
      usable: new Map(),
      reachable: new Map(),
      lostAt: new Map(),
    };
    byCluster.set(cluster, links);
    return links;
  }

  /** Makes what every proxied request reads. It runs only when links come and go. */
  function index(cluster: string): void {
    const links = byCluster.get(cluster);
    if (!links) return;
    const before = rolesOf(links);
    // A set keeps the order of arrival.
    links.usable = byRole([...links.own].reverse().filter(isUsable));
    links.reachable = byRole([...links.remote.values()].filter(isReachable));
    const after = rolesOf(links);
    for (const role of before) if (!after.has(role)) links.lostAt.set(role, clock.steadyMs());
    for (const role of after) {
      links.lostAt.delete(role);
      for (const wake of waiting.get(keyOf(cluster, role)) ?? []) wake();
    }
  }

  async function whenUsable(
    cluster: string,
    role: Role,
    { signal, timeoutMs }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<boolean> {
    const links = byCluster.get(cluster);
    if (links && rolesOf(links).has(role)) return true;
    if (!mayComeBack(links, role) || signal?.aborted) return false;
    const key = keyOf(cluster, role);
    const wakers = waiting.get(key) ?? new Set();
    waiting.set(key, wakers);
    return new Promise((resolve) => {
      const settle = (isThere: boolean): void => {
        cancel();
        signal?.removeEventListener("abort", giveUp);
        wakers.delete(wake);
        if (wakers.size === 0) waiting.delete(key);
        resolve(isThere);
      };
      const wake = (): void => settle(true);
      const giveUp = (): void => settle(false);
      const cancel = clock.after(timeoutMs, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      wakers.add(wake);
    });
  }

  /** A cluster that has been away for long isn't worth a wait. When the hub has just started, all of them may come. */
  function mayComeBack(links: ClusterLinks | undefined, role: Role): boolean {
    return clock.steadyMs() - (links?.lostAt.get(role) ?? startedAt) < awaitedMs;
  }
}

interface ClusterLinks {
  readonly own: Set<LinkRecord>;
  readonly remote: Map<string, RemoteLink>;
  /** Those that take streams, the newest first. */
  usable: ReadonlyMap<Role, readonly LinkRecord[]>;
  reachable: ReadonlyMap<Role, readonly RemoteLink[]>;
  /** When a role lost its last link that takes streams. */
  readonly lostAt: Map<Role, number>;
}

function isUsable({ isDraining, refusal, link }: LinkRecord): boolean {
  return !isDraining && !refusal && link.state === "up";
}

function isReachable({ isDraining, refusal, isUp }: RemoteLink): boolean {
  return !isDraining && !refusal && isUp;
}

function rolesOf({ usable, reachable }: ClusterLinks): ReadonlySet<Role> {
  return new Set([...usable.keys(), ...reachable.keys()]);
}

function byRole<T extends { readonly roles: readonly Role[] }>(links: readonly T[]): ReadonlyMap<Role, readonly T[]> {
  const found = new Map<Role, T[]>();
  for (const link of links) {
    for (const role of link.roles) found.set(role, [...(found.get(role) ?? []), link]);
  }
  return found;
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
