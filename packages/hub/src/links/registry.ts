// Which links are up, by cluster and role. The newest goes first: after a reconnect the older one may be a dead
// connection that nobody has noticed yet. Older ones stay as a second choice, as agents may run as several replicas.
import type { Role } from "@fairlead/protocol";
import type { HelloFacts, LinkPresence, LiveLink } from "./types.ts";

/** The registry's own record; everybody else sees it as a `LiveLink`. */
export interface LinkRecord extends LiveLink {
  notAfter: number;
  remoteAddress: string;
  /** Of the certificates that the link was opened with and got since. */
  readonly keyThumbprints: Set<string>;
  hello: HelloFacts | undefined;
  isDraining: boolean;
}

export interface LinkRegistry extends LinkPresence {
  list(): readonly LinkRecord[];
  add(record: LinkRecord): void;
  remove(record: LinkRecord): void;
  /** After a change of `isDraining`, or of a link's state. */
  refresh(cluster: string): void;
}

export function createLinkRegistry(): LinkRegistry {
  const records = new Set<LinkRecord>();
  // Read for every proxied request, rebuilt only when links come and go.
  const byKey = new Map<string, readonly LinkRecord[]>();

  return {
    connection: (cluster, role) => byKey.get(keyOf(cluster, role))?.[0],
    connections: (cluster, role) => byKey.get(keyOf(cluster, role)) ?? none,
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
    for (const key of byKey.keys()) if (key.startsWith(`${cluster}/`)) byKey.delete(key);
    // A set keeps the order of arrival.
    for (const record of [...records].reverse()) {
      if (record.cluster !== cluster || record.isDraining || record.link.state !== "up") continue;
      for (const role of record.roles) {
        const key = keyOf(cluster, role);
        byKey.set(key, [...(byKey.get(key) ?? []), record]);
      }
    }
  }
}

function keyOf(cluster: string, role: Role): string {
  return `${cluster}/${role}`;
}

const none: readonly LinkRecord[] = [];
