// Makes this hub one of several: it joins them, links to each, tells them of its agents' links and learns of theirs.
import type { HubMember } from "@fairlead/contract";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { BudgetOf, FirstMessage, Link, LinkBudget, StreamAcceptor } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import type { Pki } from "../../platform/pki/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { LinkRegistry, LinkService, StrayConnection } from "../links/index.ts";
import { createAnnouncer } from "./announcer.ts";
import { createHubDoor, type HubDoor } from "./door.ts";
import { createHubIdentity, type HubIdentity } from "./identity.ts";
import { createMembership, type Membership } from "./membership.ts";
import { hashSession, passOnConnection } from "./pass-on.ts";
import { createPassedConnections } from "./passed-connections.ts";
import { createHubPeers } from "./peers.ts";
import { createRelay, type RelayCounters } from "./relay.ts";
import { createRemoteLinks } from "./remote-links.ts";
import { describeMembers } from "./roll-call.ts";
import { createHubStore } from "./store.ts";

export interface Hubs extends AsyncDisposable {
  readonly door: HubDoor;
  readonly identity: HubIdentity;
  readonly relayed: Readonly<RelayCounters>;
  /** To be called once the hub listens: others may dial this address from then on. */
  join(address: string): Promise<void>;
  /** Gives an agent's connection to the hub that has its link; false when none is known to have it. */
  passOn(stray: StrayConnection, session: string, first: FirstMessage): boolean;
  /** For metrics. */
  count(): { readonly linked: number; readonly unlinked: number };
  /** Resolves when a newer hub has changed the tables so that this one can't use them, and must end. */
  readonly outdated: Promise<FairleadError>;
  /** All hubs, as this one sees them. */
  members(): Promise<HubMember[]>;
  /** The other hubs that live. Each request's limits depend on it. */
  readonly othersCount: number;
}

export function createHubs(options: {
  readonly id: string;
  readonly version: string;
  readonly schemaVersion: number;
  readonly db: Kysely<Tables>;
  readonly changes: Changes;
  readonly pki: Pki;
  readonly registry: LinkRegistry;
  /** Agents' links at this hub. */
  readonly links: Pick<LinkService, "budgetOf" | "sessionOf" | "receivePassedOn" | "endLeftBehind" | "sendAllAway">;
  readonly budget: LinkBudget;
  readonly clock: Clock;
  readonly log: Logger;
}): Hubs {
  const { id, version, schemaVersion, db, changes, pki, registry, links, budget, clock, log } = options;
  const store = createHubStore({ db, changes });
  const identity = createHubIdentity({ id, pki, clock });
  const relayed: RelayCounters = { active: 0, total: 0 };
  // A cluster has one share, however its data comes.
  const budgetOf: BudgetOf = ({ cluster }) => (cluster === undefined ? undefined : links.budgetOf(cluster));
  const peers = createHubPeers({ identity, budget, budgetOf, clock, log, onChanged: (hub) => remote.refresh(hub) });
  const remote = createRemoteLinks({
    self: id,
    store,
    changes,
    registry,
    linkTo: peers.linkTo,
    onSeen: (agent) => links.endLeftBehind(agent),
  });
  const relay = createRelay({ registry, counters: relayed });
  const passed = createPassedConnections({ receive: (connection) => links.receivePassedOn(connection), log });
  const accept: StreamAcceptor = (stream) => (stream.open.target === "link" ? passed(stream) : relay(stream));
  const door = createHubDoor({ pki, isMember, accept, onTakenForDead, budget, budgetOf, clock, log });
  const joined = new AsyncDisposableStack();
  // A connection of before may lead to a thief of a retired key.
  joined.defer(pki.onChanged(async () => (pki.rollover.is === "single" ? peers.redial() : undefined)));
  let membership: Membership | undefined;
  const outdated = Promise.withResolvers<FairleadError>();

  return {
    door,
    identity,
    relayed,
    outdated: outdated.promise,
    get othersCount() {
      return peers.count;
    },
    count() {
      const all = peers.list();
      const linked = all.filter(({ id: hub }) => peers.linkTo(hub)?.state === "up").length;
      return { linked, unlinked: all.length - linked };
    },
    members: async () =>
      describeMembers({
        self: id,
        rows: await store.listMembers(),
        linksOf: (hub) => (hub === id ? registry.list() : remote.linksOf(hub)),
        isLinked: (hub) => peers.linkTo(hub)?.state === "up",
      }),
    passOn(stray, session, first) {
      const hub = remote.hubOf(hashSession(session));
      const link = hub === undefined ? undefined : peers.linkTo(hub);
      if (link?.state !== "up") return false;
      passOnConnection({ stray, first, link, clock, log });
      return true;
    },
    async join(address) {
      const sessionOf = (link: Link): string | undefined => links.sessionOf(link);
      const announcer = createAnnouncer({ hub: id, registry, store, sessionOf, clock, log });
      const joining = createMembership({
        store,
        self: { id, address, version, schemaVersion },
        clock,
        log,
        onOutdated: outdated.resolve,
        onJoined: announcer.announceAll,
        onOthers(others) {
          peers.keep(others);
          door.keep(others);
          remote.keepOf(others);
        },
      });
      membership = joining;
      joined.use(joining);
      joined.use(announcer);
      await joining.beat();
      let { era } = changes;
      const beat = async (): Promise<void> => {
        await joining.beat();
        // The database went back, so this hub's announcements may be lost.
        if (era !== changes.era) announcer.announceAll();
        ({ era } = changes);
      };
      joined.use(changes.follow("hubs", beat));
      joined.use(changes.follow("links", remote.reread));
      await changes.settled();
    },
    async [Symbol.asyncDispose]() {
      // While this hub is among them yet: when it has left, the others close their links without waiting for more.
      await door[Symbol.asyncDispose]();
      await joined.disposeAsync();
      await peers[Symbol.asyncDispose]();
    },
  };

  /** If this hub can't reach the database, the hub that says so can: agents are of use to others there only. */
  function onTakenForDead(by: string): void {
    membership?.beat().catch((error: unknown) => {
      if (!isStoreFailure(error)) return;
      log.warn({ hub: by, err: error }, "another hub reaches the database and this one doesn't; agents are sent there");
      links.sendAllAway("this hub can't reach its database");
    });
  }

  /** Asks the database, too: a hub that has just joined isn't in memory yet. */
  async function isMember(hub: string): Promise<boolean> {
    return peers.list().some((peer) => peer.id === hub) || (await store.list()).some((other) => other.id === hub);
  }
}
