// Clusters in memory, so that the path of a proxied request never waits for the database. Rows come from answers to this
// hub's own statements and from rereading what others wrote, in any order: whichever is newer stays, and listeners hear
// of a revocation or a replacement once, wherever it was made.
import { isDeepStrictEqual } from "node:util";
import { clustersErrors } from "./errors.ts";
import type { ClusterRow, Uids } from "./types.ts";

type Listener = (event: { readonly cluster: string }) => void;

export interface ClusterRows {
  get(name: string): ClusterRow | undefined;
  /** Throws CLUSTER_NOT_FOUND. */
  find(name: string): ClusterRow;
  all(): ClusterRow[];
  /** As the database gave it; throws CLUSTER_NOT_FOUND for none. An older one changes nothing. Returns the one that stays. */
  take(row: ClusterRow | undefined): ClusterRow;
  /** The cluster was removed; one that has its name now isn't meant. */
  forget(cluster: Pick<ClusterRow, "name" | "incarnation">): void;
  /** Times count at once, and also when they can't be stored. */
  seen(name: string, at: { readonly seen?: Date | null; readonly lost?: Date | null }): void;
  /** Which cluster the name means counts at once, too, until the database has settled it. */
  presume(name: string, uids: Uids): Presumption;
  /** True until then; the database may have been away. */
  isPresumed(name: string): boolean;
  onRevoked(listener: Listener): () => void;
  onReplaced(listener: Listener): () => void;
  /** Its labels are others. */
  onChanged(listener: Listener): () => void;
  /** As after a revocation, for those whose agents are to come anew. */
  cut(names: readonly string[]): void;
  /** Ends listening. */
  [Symbol.dispose](): void;
}

/** Between an agent's word and the database's. */
export interface Presumption {
  /** Undefined: the cluster is gone. */
  settle(row: ClusterRow | undefined): void;
}

export function createClusterRows(): ClusterRows {
  const stored = new Map<string, ClusterRow>();
  const presumed = new Map<string, Uids>();
  /** Answers to statements of before a removal may come after it. */
  let gone: { readonly now: Set<string>; readonly before: Set<string> } = { now: new Set(), before: new Set() };
  const revokedListeners = new Set<Listener>();
  const replacedListeners = new Set<Listener>();
  const changedListeners = new Set<Listener>();

  const rows: ClusterRows = {
    get,
    find(name) {
      const row = get(name);
      if (!row) throw clustersErrors.CLUSTER_NOT_FOUND();
      return row;
    },
    all: () => [...stored.keys()].flatMap((name) => get(name) ?? []),
    take(row) {
      if (!row) throw clustersErrors.CLUSTER_NOT_FOUND();
      put(row);
      return rows.find(row.name);
    },
    forget({ name, incarnation }) {
      if (gone.now.size >= mostGone) gone = { now: new Set(), before: gone.now };
      gone.now.add(incarnation);
      if (stored.get(name)?.incarnation === incarnation) drop(name);
    },
    seen(name, { seen = null, lost = null }) {
      const row = stored.get(name);
      if (row) stored.set(name, withTimes(row, { last_seen_at: seen, last_lost_at: lost }));
    },
    presume(name, uids) {
      presumed.set(name, uids);
      return {
        settle(row) {
          const before = get(name)?.kube_system_uid;
          if (presumed.get(name) === uids) presumed.delete(name);
          if (row) put(row, before);
        },
      };
    },
    isPresumed: (name) => presumed.has(name),
    onRevoked: (listener) => listen(revokedListeners, listener),
    onReplaced: (listener) => listen(replacedListeners, listener),
    onChanged: (listener) => listen(changedListeners, listener),
    cut(names) {
      for (const name of names) tell(revokedListeners, name);
    },
    [Symbol.dispose]() {
      revokedListeners.clear();
      replacedListeners.clear();
      changedListeners.clear();
    },
  };
  return rows;

  function get(name: string): ClusterRow | undefined {
    const row = stored.get(name);
    const uids = presumed.get(name);
    if (!row || !uids) return row;
    // The identity that an agent told another hub first has won.
    const isOther = row.kube_system_uid !== null && row.kube_system_uid !== uids.kube_system_uid;
    return isOther ? row : { ...row, ...uids };
  }

  function put(row: ClusterRow, meantBefore = get(row.name)?.kube_system_uid): void {
    const { name, incarnation, version, epoch } = row;
    if (gone.now.has(incarnation) || gone.before.has(incarnation)) return;
    const known = stored.get(name);
    // The name was given again.
    if (known && known.incarnation !== incarnation) drop(name);
    const current = stored.get(name);
    const isOlder = current !== undefined && current.version > version;
    if (!isOlder) stored.set(name, current ? withTimes(row, current) : row);
    if (!current) return;
    const losesRoles = !current.roles.every((role) => row.roles.includes(role));
    if (!isOlder && (epoch > current.epoch || losesRoles)) tell(revokedListeners, name);
    if (!isOlder && !isDeepStrictEqual(row.labels, current.labels)) tell(changedListeners, name);
    if (get(name)?.kube_system_uid !== meantBefore) tell(replacedListeners, name);
  }

  function drop(name: string): void {
    stored.delete(name);
    presumed.delete(name);
    tell(revokedListeners, name);
  }
}

/** A time may be known here that isn't stored, or be stored without a new version. */
function withTimes(row: ClusterRow, other: Pick<ClusterRow, "last_seen_at" | "last_lost_at">): ClusterRow {
  return {
    ...row,
    last_seen_at: later(row.last_seen_at, other.last_seen_at),
    last_lost_at: later(row.last_lost_at, other.last_lost_at),
  };
}

function later(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? other : one;
}

function listen(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(listeners: ReadonlySet<Listener>, cluster: string): void {
  for (const listener of listeners) listener({ cluster });
}

const mostGone = 10_000;
