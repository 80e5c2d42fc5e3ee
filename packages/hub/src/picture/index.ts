// The wing of the live picture: the copy of what is in clusters, and what people ask about it.
import { forComponent } from "@fairlead/kernel";
import type { People } from "../people/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import type { Reach } from "../reach/index.ts";
import { createFitnessRoutes, openFitness } from "./fitness/index.ts";
import {
  createFreshness,
  createInventoryRpc,
  type Freshness,
  type Inventory,
  openInventory,
} from "./inventory/index.ts";
import { createLive, type Live, type SubscribeToRuns } from "./live/index.ts";
import { createAgeReader, createObjectRoutes, openObjects } from "./objects/index.ts";
import { openProfiles } from "./profiles/index.ts";

export interface Picture extends AsyncDisposable {
  readonly inventory: Inventory;
  readonly staleness: Freshness["staleness"];
  readonly live: Live;
  readonly addServices: ReturnType<typeof createInventoryRpc>;
  readonly additions: Additions;
}

export async function openPicture(
  platform: Platform,
  people: Pick<People, "access">,
  { clusters }: Pick<Reach, "clusters">,
  /** Made by later wings. */
  { subscribeToRuns }: { readonly subscribeToRuns: SubscribeToRuns },
): Promise<Picture> {
  const { config, clock, log, store, changes, leases, hubInstanceId, isShared } = platform;
  const { access } = people;
  await using undo = new AsyncDisposableStack();
  const profiles = undo.use(openProfiles({ db: store.db, queries: store.queries, changes, access, clusters }));
  const freshness = createFreshness({ clock });
  const inventory = undo.use(
    await openInventory({
      db: store.db,
      queries: store.queries,
      clusters,
      freshness,
      clock,
      log: forComponent(log, "hub/inventory"),
      orders: profiles.orders,
      sharing: isShared ? { changes, leases, hub: hubInstanceId } : undefined,
      limits: {
        clusterMaxKinds: config.inventoryClusterMaxKinds,
        clusterMaxObjects: config.inventoryClusterMaxObjects,
        clusterMaxBytes: config.inventoryClusterMaxBytes,
      },
    }),
  );
  const objects = openObjects({
    db: store.db,
    queries: store.queries,
    access,
    inventory,
    clusters: { list: clusters.names, exists: clusters.exists },
    kubernetesVersion: (name) => clusters.get(name).kubernetesVersion,
  });
  const ages = createAgeReader({ inventory, clusters });
  const fitness = openFitness({ queries: store.queries, objects, ages, inventory });
  const live = undo.use(
    createLive({ access, clusters, inventory, objects, subscribeToRuns, log: forComponent(log, "hub/live"), clock }),
  );
  const owned = undo.move();
  return {
    inventory,
    staleness: freshness.staleness,
    live,
    addServices: createInventoryRpc(inventory),
    additions: {
      signedInRoutes: [
        createObjectRoutes({ objects, access, inventory, clock }),
        createFitnessRoutes(fitness),
        profiles.routes,
      ],
      metrics: { inventory: inventory.totals, copyOf: freshness.summarize },
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
