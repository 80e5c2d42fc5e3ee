// Knows the links that other hubs hold, as they announce them, and puts them into the registry beside this hub's own.
import type { Link } from "@fairlead/protocol";
import type { Changes } from "../../platform/changes/index.ts";
import type { LinkRegistry, MovedAgent } from "../links/index.ts";
import { hubsErrors } from "./errors.ts";
import type { ChangedLink, HubStore, LinkCursor } from "./store.ts";
import type { AnnouncedLink, JoinedHub } from "./types.ts";

export interface RemoteLinks {
  /** Reads what changed since the last time, or everything when the database went back since. */
  reread(): Promise<void>;
  /** These hubs live; links of others aren't there. */
  keepOf(others: readonly JoinedHub[]): void;
  /** The link to a hub came or went. */
  refresh(hub: string): void;
  /** The links that a hub has announced since it joined. */
  linksOf(hub: string): readonly AnnouncedLink[];
  /** The hub that has the link of this session. */
  hubOf(sessionHash: string): string | undefined;
}

export function createRemoteLinks(options: {
  readonly self: string;
  readonly store: Pick<HubStore, "listChanged">;
  readonly changes: Pick<Changes, "era">;
  readonly registry: Pick<LinkRegistry, "putRemote" | "removeRemote">;
  /** The link to another hub; undefined while there is none. */
  readonly linkTo: (hub: string) => Link | undefined;
  /** An agent has introduced itself to another hub. */
  readonly onSeen: (agent: MovedAgent) => void;
}): RemoteLinks {
  const { self, store, changes, registry, linkTo, onSeen } = options;
  /** By hub and by which time it has joined: what it announced before it was taken for dead is void. */
  const bySender = new Map<string, Map<string, AnnouncedLink>>();
  const bySession = new Map<string, string>();
  /** Senders whose links were read, and that weren't among the living the last time. */
  const unknown = new Set<string>();
  let living: ReadonlySet<string> = new Set();
  let cursor = beginning;
  let { era } = changes;

  return {
    async reread() {
      if (era !== changes.era) cursor = beginning;
      ({ era } = changes);
      while (true) {
        const changed = await store.listChanged(self, cursor, pageSize);
        for (const change of changed) take(change);
        cursor = changed.at(-1) ?? cursor;
        if (changed.length < pageSize) return;
      }
    },
    keepOf(others) {
      const before = living;
      living = new Set(others.map(({ id, joined }) => toSender(id, joined)));
      // Before those that come: a hub that joins anew announces the same links.
      for (const [sender, links] of bySender) {
        if (living.has(sender)) continue;
        if (before.has(sender)) for (const link of links.values()) remove(link);
        // Links may be read before their hub, which is then among the next ones at the latest.
        if (!unknown.delete(sender)) unknown.add(sender);
        else bySender.delete(sender);
      }
      for (const [sender, links] of bySender) {
        if (!living.has(sender)) continue;
        unknown.delete(sender);
        if (!before.has(sender)) for (const link of links.values()) put(link);
      }
    },
    linksOf: (hub) =>
      [...living]
        .filter((sender) => sender.startsWith(`${hub} `))
        .flatMap((sender) => [...(bySender.get(sender)?.values() ?? [])]),
    hubOf: (sessionHash) => bySession.get(sessionHash),
    refresh(hub) {
      for (const [sender, links] of bySender) {
        if (!living.has(sender)) continue;
        for (const link of links.values()) if (link.hub === hub) put(link);
      }
    },
  };

  function take({ hub, joined, id, link }: ChangedLink): void {
    const sender = toSender(hub, joined);
    const links = bySender.get(sender) ?? new Map<string, AnnouncedLink>();
    bySender.set(sender, links);
    const known = links.get(id);
    if (link) {
      links.set(id, link);
      const { cluster, keyThumbprint, hello } = link;
      if (!known && hello) onSeen({ cluster, keyThumbprint, agentInstanceId: hello.agentInstanceId });
      if (living.has(sender)) put(link);
    } else if (known) {
      links.delete(id);
      if (living.has(sender)) remove(known);
    }
  }

  function remove(link: AnnouncedLink): void {
    if (link.sessionHash !== undefined) bySession.delete(link.sessionHash);
    registry.removeRemote(link);
  }

  function put(announced: AnnouncedLink): void {
    const { hub, joined: _joined, isConnected, sessionHash, ...facts } = announced;
    if (sessionHash !== undefined) bySession.set(sessionHash, hub);
    registry.putRemote({
      ...facts,
      isUp: isConnected && linkTo(hub)?.state === "up",
      link: {
        openStream(open, handlers) {
          const link = linkTo(hub);
          if (!link) throw hubsErrors.HUB_UNREACHABLE({ address: hub, reason: "there is no link to it" });
          return link.openStream({ ...open, cluster: announced.cluster }, handlers);
        },
      },
    });
  }
}

function toSender(hub: string, joined: string): string {
  return `${hub} ${joined}`;
}

const beginning: LinkCursor = { revision: "0", id: "" };
const pageSize = 1_000;
