// The wing that reaches clusters: which there are, who their agents are, their links, and the way to their APIs.

import type { HubMember } from "@fairlead/contract";
import { forComponent } from "@fairlead/kernel";
import {
  capabilities,
  createBudgetShare,
  createLinkBudget,
  type LinkLimits,
  protocolVersions,
  type Role,
} from "@fairlead/protocol";
import type { People } from "../people/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import { hubVersion } from "../version.ts";
import { type Clusters, createClusterRoutes, openClusters, type Staleness } from "./clusters/index.ts";
import { createHubRoutes, createHubs, describeAlone, type Hubs } from "./hubs/index.ts";
import { createEnrollRoutes, type Identity, openIdentity } from "./identity/index.ts";
import {
  createChallengeRoutes,
  createLinkProofs,
  createLinkRegistry,
  createLinkService,
  type LinkList,
  type LinkService,
  type LinkServiceOptions,
} from "./links/index.ts";
import { createMeshIdentity, createNoEnrollment, type RefusedAttempt, recordRefusal } from "./mesh/index.ts";
import { type ClusterProxy, createClusterProxy, createRequestLog } from "./proxy/index.ts";
import { createRolloverRoutes, createRolloverService } from "./rollover/index.ts";

export interface Reach extends AsyncDisposable {
  readonly clusters: Clusters;
  readonly identity: Pick<Identity, "hasHadRole" | "listHavingHadRole">;
  readonly links: LinkService;
  /** Links of agents that take streams, those that other hubs hold among them. */
  readonly connections: LinkList["connections"];
  readonly proxy: ClusterProxy;
  /** Undefined for a hub that has its database alone. */
  readonly hubs: Hubs | undefined;
  readonly additions: Additions;
}

export async function openReach(
  platform: Platform,
  people: Pick<People, "access" | "audit" | "recordings">,
  ports: {
    readonly linkLimits: Partial<LinkLimits> | undefined;
    /** How old the copy of a cluster is. */
    readonly staleness: (cluster: string) => Staleness | undefined;
    /** Typed calls of agents that higher wings answer. */
    readonly addServices: NonNullable<LinkServiceOptions["addServices"]>;
    /** How many of these a cluster's agents may have open beyond what all may. */
    readonly moreCalls: NonNullable<LinkServiceOptions["moreCalls"]>;
  },
): Promise<Reach> {
  const { config, clock, log, store, changes, pki, limits, hubInstanceId, isShared, urls } = platform;
  const { access, audit, recordings } = people;
  const declared = platform.declarations?.guard;
  const { linkLimits, staleness, addServices, moreCalls } = ports;
  const commandKeys = (): string[] => platform.commandKeys?.list().map(({ publicJwk }) => publicJwk) ?? [];
  await using undo = new AsyncDisposableStack();
  const registry = createLinkRegistry();
  const since = new Date(clock.now());
  const onError = (error: unknown): void => log.error({ err: error }, "background work failed");
  const clusters = undo.use(
    await openClusters({
      db: store.db,
      queries: store.queries,
      changes,
      staleness,
      clock,
      onError,
      links: { list: registry.present, of: registry.presentOf },
      reserved: {
        namespaces: [config.argoNamespace, config.hubNamespace].filter((name) => name !== undefined),
        isRobot: (name) => access.robots.find(name) !== undefined,
      },
    }),
  );
  // Bindings choose clusters by their labels.
  undo.defer(clusters.onChanged(() => access.tellChanged()));
  const identity = undo.use(
    openIdentity({
      db: store.db,
      queries: store.queries,
      pki,
      clusters,
      clock,
      certificateTtlMs: config.certificateTtlMs,
      declared,
    }),
  );
  const { certificateTtlMs } = config;
  const rollover = createRolloverService({
    pki,
    identity,
    links: registry,
    certificateTtlMs,
    clock,
    log: forComponent(log, "hub/rollover"),
  });
  const proofs = createProofs(platform, identity);
  const lifeMs = config.certificateTtlMs;
  const mesh = createMeshIdentity({
    config,
    db: store.db,
    clusters,
    declared,
    clock,
    log: forComponent(log, "hub/mesh"),
    lifeMs,
  });
  const onRefused = mesh && ((attempt: RefusedAttempt) => recordRefusal(audit, { ...attempt, at: clock.now() }));
  const budget = createLinkBudget({ totalBytes: config.linkCreditBytes });
  const links = undo.use(
    createLinkService({
      registry,
      identity,
      clusters,
      budget,
      log: forComponent(log, "hub/links"),
      clock,
      proofs,
      mesh,
      onRefused,
      addServices,
      moreCalls,
      onGreeted: rollover.greet,
      hub: {
        hubInstanceId,
        hubVersion,
        protocolVersions,
        capabilities: [
          capabilities.inventory,
          capabilities.renewalConfirmations,
          capabilities.gitops,
          ...(platform.commandKeys ? [capabilities.commands] : []),
        ],
        commandKeys,
      },
      ...(linkLimits ? { limits: linkLimits } : {}),
    }),
  );
  const hubs = isShared
    ? undo.use(
        createHubs({
          id: hubInstanceId,
          version: hubVersion,
          schemaVersion: store.schemaVersion,
          db: store.db,
          changes,
          pki,
          registry,
          clock,
          log: forComponent(log, "hub/hubs"),
          links,
          budget: createBudgetShare({ of: budget, mostBytes: Math.floor(budget.totalBytes / 2) }),
        }),
      )
    : undefined;
  if (hubs) links.passStraysTo((stray, session, first) => hubs.passOn(stray, session, first));
  const listHubs = async (): Promise<HubMember[]> =>
    hubs?.members() ?? [describeAlone({ id: hubInstanceId, version: hubVersion, since, links: registry.list() })];
  const proxy = createClusterProxy(
    {
      access,
      audit,
      limits,
      recordings,
      exists: clusters.exists,
      absence: clusters.absence,
      connections: (cluster) => registry.connections(cluster, proxyRole),
      refusal: (cluster) => registry.refusal(cluster, proxyRole),
      whenUsable: (cluster, options) => registry.whenUsable(cluster, proxyRole, options),
      requestLog: createRequestLog(forComponent(log, "hub/proxy")),
      tracer: platform.tracer,
      clusterDomain: config.clusterDomain,
    },
    { headDeadlineMs: config.headDeadlineMs, longHeadDeadlineMs: 3_600_000 },
  );
  undo.defer(
    clusters.onRevoked(({ cluster }) => {
      if (!clusters.exists(cluster)) proxy.forget(cluster);
    }),
  );
  const owned = undo.move();
  return {
    clusters,
    identity,
    links,
    proxy,
    hubs,
    connections: registry.connections,
    additions: {
      signedInRoutes: [
        createClusterRoutes({
          access,
          clusters,
          identity,
          declared,
          isMesh: mesh !== undefined,
          hubAgentUrl: () => urls.agents,
        }),
        createRolloverRoutes({ access, rollover }),
        createHubRoutes({ access, list: listHubs }),
      ],
      agentRoutes: onRefused
        ? [createNoEnrollment({ onRefused })]
        : [createEnrollRoutes({ identity, commandKeys }), ...(proofs ? [createChallengeRoutes({ proofs })] : [])],
      metrics: {
        links: () => registry.list().map(({ link }) => link),
        pastLinks: links.pastLinks,
        linkErrors: links.errorsByCode,
        budget,
        proxy: proxy.counters,
        clusters,
        hubs,
      },
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** For agents behind a load balancer that ends TLS. */
function createProofs(
  { config, clock, pki, serverNames, store: { db } }: Platform,
  { authenticatePeer }: Identity,
): ReturnType<typeof createLinkProofs> | undefined {
  if (config.agentTrust !== "challenge") return undefined;
  const names = [...serverNames, "localhost", "127.0.0.1", "::1"];
  const hosts = names.map((name) => name.toLowerCase());
  return createLinkProofs({ db, authenticatePeer, trustDomain: pki.trustDomain, hosts, clock });
}

const proxyRole: Role = "proxy";
