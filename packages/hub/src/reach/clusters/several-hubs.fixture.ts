// Hubs on one database, each with clusters and identities in a memory of its own, and an authority in common.
import { type Clock, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import { createMemoryAdapter, type MemoryHall, openBus } from "../../platform/bus/index.ts";
import { type Changes, openChanges } from "../../platform/changes/index.ts";
import { openPki, type Pki } from "../../platform/pki/index.ts";
import type { Store, Tables } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { type Identity, openIdentity } from "../identity/index.ts";
import { type Clusters, openClusters, type PresentLink } from "./index.ts";
import { createPresence } from "./presence.fixture.ts";

export interface SeveralHubs extends AsyncDisposable {
  readonly store: Store;
  readonly pki: Pki;
  openHub(options?: {
    readonly clock?: Clock;
    /** For the counters of changes alone: with one that stands still a deaf hub hears of nothing. */
    readonly changesClock?: Clock;
    readonly db?: Kysely<Tables>;
  }): Promise<OneOfHubs>;
}

export interface OneOfHubs {
  readonly changes: Changes;
  readonly clusters: Clusters;
  readonly identity: Identity;
  /** Those that the hub knows of. */
  readonly links: PresentLink[];
  /** Clusters whose revocation or removal the hub was told of. */
  readonly revoked: readonly string[];
  /** Clusters whose links it was told to judge again. */
  readonly replaced: readonly string[];
}

/** Both ways to hear of others: by hints, and when hints are lost. */
export const eachBus: readonly (readonly [string, { readonly isDeaf: boolean }])[] = [
  ["that tell each other", { isDeaf: false }],
  ["whose hints are lost", { isDeaf: true }],
];

export async function openSeveralHubs({ isDeaf }: { readonly isDeaf: boolean }): Promise<SeveralHubs> {
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openMemoryStore());
  const pki = await openPki({ trustDomain: "fairlead.test" });
  const hall: MemoryHall = new Set();
  const log = createLogger({ level: "silent", name: "test" });
  let count = 0;
  const owned = undo.move();
  return {
    store,
    pki,
    async openHub({ clock = systemClock, changesClock = systemClock, db = store.db } = {}) {
      const hubInstanceId = `hub_${++count}`;
      const adapter = createMemoryAdapter(isDeaf ? {} : { hall });
      const bus = owned.use(await openBus({ adapter, hubInstanceId, clock: systemClock, log }));
      const changes = owned.use(openChanges({ db, bus, clock: changesClock, log }));
      const links: PresentLink[] = [];
      const clusters = owned.use(
        await openClusters({ db, queries: store.queries, changes, clock, links: createPresence(() => links) }),
      );
      const identity = owned.use(openIdentity({ db, queries: store.queries, pki, clusters, clock }));
      const [revoked, replaced]: [string[], string[]] = [[], []];
      identity.onRevoked(({ cluster }) => revoked.push(cluster));
      clusters.onReplaced(({ cluster }) => replaced.push(cluster));
      return { changes, clusters, identity, links, revoked, replaced };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
