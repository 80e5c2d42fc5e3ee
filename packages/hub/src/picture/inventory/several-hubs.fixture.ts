// Several hubs with connections of their own on one database, a bus between them that does as it is told, and clocks that
// may differ. Agents dial whichever hub a test wants.
import { type Clock, sleep, systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import type { Role } from "@fairlead/protocol";
import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { inject } from "vitest";
import { openBus } from "../../platform/bus/index.ts";
import { type Changes, openChanges, type Topic } from "../../platform/changes/index.ts";
import { createNastyHall, type NastyHall } from "../../platform/changes/nasty-adapter.fixture.ts";
import { type Leases, openLeases } from "../../platform/leases/index.ts";
import { openConnections } from "../../platform/store/connections.ts";
import type { Store, Tables } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Clusters, openClusters, type Staleness } from "../../reach/clusters/index.ts";
import { createPresence } from "../../reach/clusters/presence.fixture.ts";
import type { CommittedChange } from "./index.ts";
import { createFreshness, type Inventory, openInventory } from "./index.ts";
import { dial, type FakeAgent } from "./inventory.fixture.ts";
import type { InventoryLimits } from "./quota.ts";

export interface SeveralHubs extends AsyncDisposable {
  readonly store: Store;
  readonly hall: NastyHall;
  readonly hubs: readonly SharingHub[];
  hub(index: number): SharingHub;
  /** Another one beside them. */
  open(options?: HubSettings): Promise<SharingHub>;
  /** At one of them; resolves when all know of it, unless told otherwise. */
  createCluster(options?: { readonly isKnown?: boolean }): Promise<string>;
}

export interface SharingHub extends AsyncDisposable {
  readonly inventory: Inventory;
  readonly clusters: Clusters;
  readonly clock: Clock;
  readonly db: Kysely<Tables>;
  readonly leases: Leases;
  readonly changes: Changes;
  /** Everything that the hub told, with `lost` where the history ended. */
  readonly told: (CommittedChange | "lost")[];
  staleness(cluster: string): Staleness | undefined;
  dial(cluster: string, options?: { readonly roles?: readonly Role[] }): FakeAgent;
  /** From now on it hears nothing of its database, as a process that is stopped, until it is woken. */
  stop(): void;
  wake(): void;
}

export interface HubSettings {
  /** Its clock is off by so much. */
  readonly skewMs?: number;
  readonly limits?: Partial<InventoryLimits> | undefined;
  /** It hears so late of clusters that others make. */
  readonly clustersLateMs?: number;
  /** It hears so late of reports at others. */
  readonly reportsLateMs?: number;
}

export async function openSeveralHubs(
  options: { readonly hubs?: readonly HubSettings[]; readonly limits?: Partial<InventoryLimits> } = {},
): Promise<SeveralHubs> {
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openMemoryStore());
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(store.db);
  const database = rows[0]?.name ?? "";
  const hall = createNastyHall();
  const hubs: SharingHub[] = [];
  const owned = undo.use(new AsyncDisposableStack());
  const open = async (settings: HubSettings = {}): Promise<SharingHub> => {
    const limits = { ...options.limits, ...settings.limits };
    const hub = await openHub({ database, hall, limits, ...settings, name: `hub-${hubs.length}` });
    hubs.push(owned.use(hub));
    return hub;
  };
  for (const settings of options.hubs ?? [{}, {}, {}]) await open(settings);
  const all = undo.move();
  let count = 0;
  return {
    store,
    hall,
    hubs,
    open,
    hub: (index) => hubs[index] as SharingHub,
    async createCluster({ isKnown = true } = {}) {
      count += 1;
      const { clusters } = hubs[count % hubs.length] as SharingHub;
      const { name } = await clusters.create({ name: `cluster-${count}`, roles: ["observe"] });
      if (isKnown) await until(() => hubs.every((hub) => hub.clusters.exists(name)), name, { timeoutMs: 30_000 });
      return name;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function openHub(
  options: HubSettings & {
    readonly database: string;
    readonly hall: NastyHall;
    readonly name: string;
  },
): Promise<SharingHub> {
  const { database, hall, name, skewMs = 0, clustersLateMs = 0, reportsLateMs = 0 } = options;
  await using undo = new AsyncDisposableStack();
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs };
  const log = pino({ level: "silent" });
  const connections = openConnections({
    connection: { ...inject("postgres"), database },
    shares: { own: 4, asked: 2 },
  });
  undo.defer(() => connections.close());
  let isStopped: PromiseWithResolvers<void> | undefined;
  const db = connections.own.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await isStopped?.promise;
      return result;
    },
  });
  undo.defer(() => isStopped?.resolve());
  const bus = undo.use(await openBus({ adapter: hall.adapter(), hubInstanceId: name, clock, log }));
  const changes = undo.use(openChanges({ db, bus, clock, log }));
  const leases = undo.use(openLeases({ db, bus, hubInstanceId: name, clock, log }));
  const freshness = createFreshness({ clock });
  const links = createPresence();
  const clusters = undo.use(
    await openClusters({
      db,
      changes: hearLate(changes, clustersLateMs),
      links,
      staleness: freshness.staleness,
      clock,
    }),
  );
  const inventory = undo.use(
    await openInventory({
      db,
      queries: connections.asked,
      clusters,
      freshness,
      clock,
      log,
      limits: { clusterMaxKinds: 1_024, clusterMaxObjects: 500_000, clusterMaxBytes: 2 ** 31, ...options.limits },
      sharing: { changes: hearLate(changes, reportsLateMs, "inventory-reports"), leases, hub: name },
    }),
  );
  const told: (CommittedChange | "lost")[] = [];
  inventory.onCommitted((news) => told.push(...news));
  inventory.onHistoryLost(() => told.push("lost"));
  const owned = undo.move();
  return {
    inventory,
    clusters,
    clock,
    db,
    leases,
    changes,
    told,
    staleness: (cluster) => freshness.staleness(cluster),
    dial: (cluster, { roles = ["observe"] as const } = {}) => dial(inventory, { cluster, roles }),
    stop() {
      isStopped ??= Promise.withResolvers<void>();
    },
    wake() {
      isStopped?.resolve();
      isStopped = undefined;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A topic, or all of them. */
function hearLate(changes: Changes, lateMs: number, late?: Topic): Changes {
  return {
    ...changes,
    get era() {
      return changes.era;
    },
    follow: (topic, reread) =>
      changes.follow(topic, async (signal) => {
        if (late === undefined || late === topic) await sleep(lateMs, { signal });
        await reread(signal);
      }),
  };
}
