// Opens the wings from the lowest to the highest, each with what those below gave it, and closes them in reverse. A
// lower wing gets the needed parts of a higher one as a port, which it uses once all are open.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { LinkLimits } from "@fairlead/protocol";
import { type Delivery, openDelivery } from "./delivery/index.ts";
import { openPeople } from "./people/index.ts";
import { openPicture, type Picture } from "./picture/index.ts";
import type { HubConfig } from "./platform/config/index.ts";
import { openListeners, openPlatform } from "./platform/index.ts";
import type { Store } from "./platform/store/index.ts";
import type { Logger } from "./platform/telemetry/index.ts";
import { openReach, type Reach } from "./reach/index.ts";
import { drainHub, handOver } from "./shutdown.ts";
import { openWork, type Work } from "./work/index.ts";

export interface Hub extends AsyncDisposable {
  /** As bound, or as configured to be reached from outside. */
  readonly peopleUrl: string;
  readonly agentUrl: string;
  /** Undefined without `--metrics-listen`. */
  readonly metricsUrl: string | undefined;
  readonly caPem: string;
  readonly caFingerprint: string;
  /** Until somebody has used it. */
  readonly firstAdminToken: string | undefined;
  readonly log: Logger;
  /** Resolves when the database is another hub's, or no longer one that this hub can go on from: it must end. */
  readonly lost: Promise<FairleadError>;
}

export interface HubOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly linkLimits?: Partial<LinkLimits>;
  /** Instead of the configured one; the hub closes it. */
  readonly store?: Store;
}

export async function startHub(config: HubConfig, options: HubOptions = {}): Promise<Hub> {
  await using undo = new AsyncDisposableStack();
  const countHubs = (): number => 1 + (reach.hubs?.othersCount ?? 0);
  const platform = undo.use(await openPlatform(config, { ...options, countHubs }));
  const people = undo.use(await openPeople(platform, { labels: (cluster) => reach.clusters.labels(cluster) }));
  const reach: Reach = undo.use(
    await openReach(platform, people, {
      linkLimits: options.linkLimits,
      staleness: (cluster) => picture.staleness(cluster),
      addServices(router, peer) {
        picture.addServices(router, peer);
        work.addServices(router, peer);
        delivery.addServices(router, peer);
      },
      moreCalls: (cluster) => delivery.moreCalls(cluster),
    }),
  );
  const picture: Picture = undo.use(
    await openPicture(platform, people, reach, { subscribeToRuns: (principal) => work.subscribeToRuns(principal) }),
  );
  const work: Work = undo.use(openWork(platform, people, reach));
  const delivery: Delivery = undo.use(await openDelivery(platform, people, reach));
  await platform.declarations?.begin({
    parts: [people.declaredPart, reach.clusters.declaredPart],
    onWithdrawn: reach.clusters.cut,
  });
  const listeners = undo.use(
    await openListeners(platform, {
      wings: [people, reach, picture, work, delivery].map(({ additions }) => additions),
      signedIn: people.access,
      clusterApi: reach.proxy,
      live: picture.live,
      links: reach.links,
      hubs: reach.hubs,
    }),
  );

  const { store, leases, pki, log, readiness, urls } = platform;
  await reach.hubs?.join(toHubAddress(config, listeners.agents));
  await store.succession?.announce();
  const opened = undo.move();
  return {
    peopleUrl: urls.people,
    agentUrl: urls.agents,
    metricsUrl: listeners.metricsUrl,
    get caPem() {
      return pki.caPem;
    },
    get caFingerprint() {
      return pki.caFingerprint;
    },
    firstAdminToken: people.access.firstAdminToken,
    log,
    lost: Promise.race(
      [store.lost, people.audit.lost, reach.hubs?.outdated].flatMap((each) => (each === undefined ? [] : [each])),
    ),
    async [Symbol.asyncDispose]() {
      const { audit } = people;
      await platform.declarations?.[Symbol.asyncDispose]();
      picture.inventory.stop();
      work.stop();
      delivery.stop();
      const isFollowed = await handOver({ succession: store.succession, leases, audit, readiness, ...listeners, log });
      audit.endReaders();
      await drainHub({
        readiness,
        links: reach.links,
        proxy: reach.proxy,
        ...listeners,
        drainMs: config.drainMs,
        log,
        relayed: reach.hubs?.relayed,
        reconnectAfterMs: isFollowed || (reach.hubs?.othersCount ?? 0) > 0 ? 0 : 1_000,
      });
      await opened.disposeAsync();
    },
  };
}

/** The port may be left to the agent listener. */
function toHubAddress({ hubAddress = "" }: HubConfig, agents: Server): string {
  return hubAddress.replace(/:0$/, `:${(agents.address() as AddressInfo).port}`);
}
