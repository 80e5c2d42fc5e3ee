// Puts the rooms together. Starts from the store outwards and stops from the listeners inwards.
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, createId, systemClock } from "@fairlead/kernel";
import { createLinkBudget, type LinkLimits, protocolVersions, type Role } from "@fairlead/protocol";
import { createAccessRoutes, type OidcSettings, openAccess } from "./access/index.ts";
import { addAuditHooks, createAuditRoutes, openAudit } from "./audit/index.ts";
import { createClusterRoutes, openClusters } from "./clusters/index.ts";
import type { HubConfig } from "./config/index.ts";
import { createEnrollRoutes, openIdentity } from "./identity/index.ts";
import { createFreshness, createInventoryRpc, openInventory } from "./inventory/index.ts";
import { createLimits } from "./limits/index.ts";
import { createChallengeRoutes, createLinkProofs, createLinkRegistry, createLinkService } from "./links/index.ts";
import { createLive } from "./live/index.ts";
import { createObjectRoutes, openObjects } from "./objects/index.ts";
import { openPki } from "./pki/index.ts";
import { createClusterProxy, createRequestLog } from "./proxy/index.ts";
import { createRecordingRoutes, openRecordings } from "./recordings/index.ts";
import {
  addOpenRoutes,
  addSignedInRoutes,
  createApp,
  createTrustedProxies,
  explainToAgents,
  explainToPeople,
  limitStrangers,
  parseListen,
  readRemoteAddress,
  requirePrincipal,
  routeAgents,
  routePeople,
  startListening,
} from "./server/index.ts";
import { drainHub, handOver } from "./shutdown.ts";
import { openStore, type Store } from "./store/index.ts";
import { createLogger, createMetrics, createReadiness, type Logger, startHeartbeat } from "./telemetry/index.ts";
import { openAgentServer, openPeopleServer } from "./tls.ts";
import { hubVersion } from "./version.ts";

export interface Hub extends AsyncDisposable {
  /** As bound, or as configured to be reached from outside. */
  readonly peopleUrl: string;
  readonly agentUrl: string;
  readonly caPem: string;
  readonly caFingerprint: string;
  /** Only when this start made it. */
  readonly firstAdminToken: string | undefined;
  readonly log: Logger;
}

export interface HubOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly linkLimits?: Partial<LinkLimits>;
  /** Instead of the configured one; the hub closes it. */
  readonly store?: Store;
}

export async function startHub(config: HubConfig, options: HubOptions = {}): Promise<Hub> {
  const { clock = systemClock, log = createLogger({ level: config.logLevel, name: "fairlead-hub" }) } = options;
  const dataDir = config.inMemory ? undefined : config.dataDir;
  const hubInstanceId = createId("hub");
  await using undo = new AsyncDisposableStack();

  const { waitForStoreMs: waitMs } = config;
  const onWait = (): void => log.info({ waitMs }, "another hub has the data folder; waiting for it to stop");
  const store = undo.use(options.store ?? (await openStore({ dataDir, waitMs, onWait })));
  const pki = await openPki({ dataDir, trustDomain: config.trustDomain, clock });
  const audit = undo.use(
    await openAudit({
      db: store.db,
      log,
      clock,
      logFile: config.auditLog,
      retentionDays: config.auditRetentionDays,
      isRequired: config.auditRequired,
      journalFile: dataDir === undefined ? undefined : join(dataDir, "audit-journal.jsonl"),
      handOverFolder: dataDir === undefined ? undefined : join(dataDir, "audit-left"),
    }),
  );
  const recordings = undo.use(
    await openRecordings({
      ...{ db: store.db, log, clock, folder: dataDir === undefined ? undefined : join(dataDir, "recordings") },
      ...{ maxBytes: config.recordingMaxBytes, retentionDays: config.recordingRetentionDays },
      withInput: config.recordingInput,
    }),
  );
  const limits = createLimits({
    userRequests: config.limitUserRequests,
    userStreams: config.limitUserStreams,
    userBytesPerSecond: config.limitUserBytesPerSecond,
    clusterRequests: config.limitClusterRequests,
    clusterStreams: config.limitClusterStreams,
    clusterBytesPerSecond: config.limitClusterBytesPerSecond,
    hubRequests: config.limitHubRequests,
    userApiRequests: config.limitUserApiRequests,
    addressApiRequests: config.limitAddressApiRequests,
  });
  const registry = createLinkRegistry();
  const onError = (error: unknown): void => log.error({ err: error }, "background work failed");
  const freshness = createFreshness({ clock });
  const { staleness } = freshness;
  const clusters = undo.use(await openClusters({ db: store.db, links: registry, staleness, clock, onError }));
  const inventory = undo.use(
    await openInventory({
      ...{ db: store.db, clusters, freshness, clock, log },
      limits: {
        clusterMaxKinds: config.inventoryClusterMaxKinds,
        clusterMaxObjects: config.inventoryClusterMaxObjects,
        clusterMaxBytes: config.inventoryClusterMaxBytes,
      },
    }),
  );
  const access = undo.use(
    await openAccess({
      ...{ db: store.db, clock, labels: clusters.labels, onError, groupPrefix: config.groupPrefix },
      usernamePrefix: config.usernamePrefix,
      times: { accessTtlMs: config.accessTokenTtlMs, maxMs: config.sessionMaxMs },
    }),
  );
  const identity = undo.use(
    openIdentity({ db: store.db, pki, clusters, clock, certificateTtlMs: config.certificateTtlMs }),
  );
  const objects = openObjects({
    ...{ db: store.db, access, clusters, inventory },
    kubernetesVersion: (name) => clusters.get(name).kubernetesVersion,
  });
  const live = undo.use(createLive({ access, clusters, inventory, objects, log, clock }));
  const budget = createLinkBudget({ totalBytes: config.linkCreditBytes });
  const { authenticatePeer } = identity;
  const { trustDomain } = pki;
  const hosts = [...serverNames(config), "localhost", "127.0.0.1", "::1"].map((name) => name.toLowerCase());
  const proofs =
    config.agentTrust === "challenge" ? createLinkProofs({ authenticatePeer, trustDomain, hosts, clock }) : undefined;
  const links = undo.use(
    createLinkService({
      registry,
      identity,
      clusters,
      budget,
      log,
      clock,
      proofs,
      hub: { hubInstanceId, hubVersion, protocolVersions, capabilities: ["inventory"] },
      addServices: createInventoryRpc(inventory),
      ...(options.linkLimits ? { limits: options.linkLimits } : {}),
    }),
  );
  const proxy = createClusterProxy(
    {
      access,
      exists: clusters.exists,
      connections: (cluster) => registry.connections(cluster, proxyRole),
      refusal: (cluster) => registry.refusal(cluster, proxyRole),
      whenUsable: (cluster, options) => registry.whenUsable(cluster, proxyRole, options),
      absence: clusters.absence,
      audit,
      limits,
      recordings,
      requestLog: createRequestLog(log),
    },
    { headDeadlineMs: config.headDeadlineMs, longHeadDeadlineMs: 3_600_000 },
  );

  const names = serverNames(config);
  const people = undo.use(await openPeopleServer({ config, pki, names, clock, log }));
  const agents = undo.use(await openAgentServer({ config, pki, names, clock, log }));
  const readiness = createReadiness();
  const heartbeat = undo.use(startHeartbeat({ check: () => store.check(), answered: () => store.answered, clock }));
  readiness.add({ name: "store", run: () => heartbeat.judge() });
  for (const [name, { server, expiresAt }] of Object.entries({ people, agents })) {
    readiness.add({ name: `${name}-listener`, run: () => assert(server.listening) });
    readiness.add({ name: `${name}-certificate`, run: () => assert(expiresAt() > clock.now()) });
  }

  const urls = { people: "", agents: "" };
  const counters = { byStatus: new Map<number, number>(), byErrorCode: new Map<string, number>() };
  const metrics = createMetrics({
    links: () => registry.list().map(({ link }) => link),
    pastLinks: links.pastLinks,
    linkErrors: links.errorsByCode,
    budget,
    proxy: proxy.counters,
    api: counters,
    audit: () => audit.counters,
    limits,
    recordings,
    inventory: inventory.totals,
  });
  const version = {
    version: hubVersion,
    hubInstanceId,
    protocolVersions: protocolVersions.map(String),
    trustDomain: pki.trustDomain,
  };
  const accessRoutes = createAccessRoutes({
    access,
    clock,
    oidc: readOidc(config),
    hubUrl: () => urls.people,
    readRemoteAddress,
    onRefused: ({ code, message }) => log.warn({ code }, message),
  });
  const toPeople = explainToPeople(() => urls.agents);
  const toAgents = explainToAgents(() => urls.people);
  const peopleApp = await createApp({
    log,
    counters,
    bodyLimitBytes: 1024 * 1024,
    explain: toPeople,
    async routes(app) {
      addAuditHooks(app, { audit, readRemoteAddress });
      addOpenRoutes(app, { version, caPem: pki.caPem, readiness });
      await app.register(async (open) => {
        limitStrangers(open, limits);
        await open.register(accessRoutes.open);
      });
      await app.register(async (signedIn) => {
        requirePrincipal(signedIn, { access, limits });
        addSignedInRoutes(signedIn, { access, metrics });
        await signedIn.register(accessRoutes.signedIn);
        await signedIn.register(createAuditRoutes({ audit, access }));
        await signedIn.register(createObjectRoutes({ objects, access, inventory, clock }));
        await signedIn.register(createRecordingRoutes({ recordings, access }));
        await signedIn.register(createClusterRoutes({ access, clusters, identity, hubAgentUrl: () => urls.agents }));
      });
    },
  });
  const agentsApp = await createApp({
    log,
    counters,
    bodyLimitBytes: 32 * 1024,
    explain: toAgents,
    async routes(app) {
      await app.register(createEnrollRoutes({ identity }));
      if (proofs) await app.register(createChallengeRoutes({ proofs }));
    },
  });
  const trustedProxies = createTrustedProxies(config.trustedProxies);
  routePeople(people.server, { app: peopleApp, api: proxy, live, explain: toPeople, trustedProxies, access });
  routeAgents(agents.server, { app: agentsApp, links, explain: toAgents, trustedProxies });

  const agentPort = await startListening(agents.server, config.agentListen);
  urls.agents = toUrl(config.agentPublicUrl ?? onHostOf(config.publicUrl, agentPort), config.agentListen, agentPort);
  undo.defer(() => agents.server.closeAllConnections());
  urls.people = toUrl(config.publicUrl, config.listen, await startListening(people.server, config.listen));

  await store.succession?.announce();
  const release = undo.move();
  return {
    peopleUrl: urls.people,
    agentUrl: urls.agents,
    caPem: pki.caPem,
    caFingerprint: pki.caFingerprint,
    firstAdminToken: access.firstAdminToken,
    log,
    async [Symbol.asyncDispose]() {
      inventory.stop();
      const isFollowed = await handOver({
        ...{ succession: store.succession, audit, readiness, people: people.server, log },
      });
      audit.endReaders();
      await drainHub({
        reconnectAfterMs: isFollowed ? 0 : 1_000,
        readiness,
        links,
        proxy,
        people: people.server,
        agents: agents.server,
        drainMs: config.drainMs,
        log,
      });
      await release.disposeAsync();
    },
  };
}

function serverNames(config: HubConfig): string[] {
  const hosts = [config.publicUrl, config.agentPublicUrl].flatMap((url) => (url ? [new URL(url).hostname] : []));
  const bound = [config.listen, config.agentListen].map((listen) => parseListen(listen).host);
  const names = [...hosts.map((host) => host.replace(/^\[|\]$/g, "")), ...bound, hostname()];
  return [...new Set(names)].filter((name) => name !== "0.0.0.0" && name !== "::");
}

function toUrl(configured: string | undefined, listen: string, port: number): string {
  if (configured !== undefined) return configured;
  const { host } = parseListen(listen);
  // Bound to all addresses: the one that is certain to reach us from here.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "localhost" : host;
  return `https://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Agents reach the hub by the name that people use, unless they are told another. */
function onHostOf(publicUrl: string | undefined, port: number): string | undefined {
  return publicUrl === undefined ? undefined : `https://${new URL(publicUrl).hostname}:${port}`;
}

function readOidc(config: HubConfig): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    ...{ issuer, clientId, clientSecretFile: config.oidcClientSecretFile, scopes: config.oidcScopes },
    ...{ groupsClaim: config.oidcGroupsClaim, usernameClaim: config.oidcUsernameClaim },
    ...{ allowedGroups: config.oidcAllowedGroups, caFile: config.oidcCaFile },
    assumesEmailVerified: config.oidcAssumeEmailVerified,
  };
}

function assert(condition: boolean): void {
  if (!condition) throw new Error("not as it should be");
}

const proxyRole: Role = "proxy";
