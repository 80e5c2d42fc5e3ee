// The hub's two listeners, with what the wings add to them.
import type { Server } from "node:http";
import { caHeader } from "@fairlead/contract";
import { protocolVersions } from "@fairlead/protocol";
import type { FastifyInstance } from "fastify";
import { hubVersion } from "../version.ts";
import { createDeclarationRoutes } from "./declarations/index.ts";
import type { Platform } from "./platform.ts";
import {
  type Additions,
  addOpenRoutes,
  addSignedInRoutes,
  type ClusterApi,
  createApp,
  createMetricsServer,
  createTrustedProxies,
  explainToAgents,
  explainToPeople,
  type HubIdentitySource,
  type LinkDoor,
  limitStrangers,
  openAgentServer,
  openPeopleServer,
  parseListen,
  requirePrincipal,
  routeAgents,
  routePeople,
  type SignedIn,
  showHubIdentity,
  startListening,
  traceRequests,
  type UpgradeRoute,
} from "./server/index.ts";
import { createMetrics, type MetricSources, type Metrics } from "./telemetry/index.ts";

/** The way in for other hubs. */
export interface HubEntrance {
  readonly door: LinkDoor;
  readonly identity: HubIdentitySource;
}

export interface Listeners extends Disposable {
  readonly people: Server;
  readonly agents: Server;
  /** Where metrics alone are served; undefined without `--metrics-listen`. */
  readonly metricsUrl: string | undefined;
}

export async function openListeners(
  platform: Platform,
  options: {
    readonly wings: readonly Additions[];
    readonly signedIn: SignedIn;
    readonly clusterApi: ClusterApi;
    readonly live: UpgradeRoute;
    readonly links: LinkDoor;
    /** Undefined for a hub that has its database alone. */
    readonly hubs: HubEntrance | undefined;
  },
): Promise<Listeners> {
  const { config, bus, changes, leases, pki, clock, log, readiness, urls, serverNames: names } = platform;
  const { wings, signedIn, clusterApi, live, links, hubs } = options;
  using undo = new DisposableStack();
  const people = undo.use(await openPeopleServer({ config, pki, names, clock, log }));
  const agents = undo.use(await openAgentServer({ config, pki, names, clock, log }));
  for (const [name, { server, expiresAt }] of Object.entries({ people, agents })) {
    readiness.add({ name: `${name}-listener`, run: () => assert(server.listening) });
    readiness.add({ name: `${name}-certificate`, run: () => assert(expiresAt() > clock.now()) });
  }
  const api = { byStatus: new Map<number, number>(), byErrorCode: new Map<string, number>() };
  const own: Partial<MetricSources> = {
    api,
    sharing: { bus, changes, leases },
    declarations: platform.declarations?.counters,
    tracing: platform.tracer?.counters,
    database: () => platform.store.shares(),
    certificateEnds: () => new Map(Object.entries({ people: people.expiresAt(), agents: agents.expiresAt() })),
  };
  const metrics = createMetrics(Object.assign(own, ...wings.map((wing) => wing.metrics)) as MetricSources, {
    maxClusters: config.metricsClusters,
    version: hubVersion,
    clock,
  });
  const toPeople = explainToPeople(() => urls.agents);
  const toAgents = explainToAgents(() => urls.people);
  const peopleApp = await createApp({
    log,
    counters: api,
    bodyLimitBytes: 1024 * 1024,
    explain: toPeople,
    routes: (app) => addPeopleRoutes(app, { platform, wings, signedIn, metrics }),
  });
  const agentsApp = await createApp({
    log,
    counters: api,
    bodyLimitBytes: 32 * 1024,
    explain: toAgents,
    async routes(app) {
      for (const routes of wings.flatMap((wing) => wing.agentRoutes ?? [])) await app.register(routes);
    },
  });
  const trustedProxies = createTrustedProxies(config.trustedProxies);
  const access = signedIn;
  routePeople(people.server, { app: peopleApp, api: clusterApi, live, explain: toPeople, trustedProxies, access });
  routeAgents(agents.server, { app: agentsApp, links, hubs: hubs?.door, explain: toAgents, trustedProxies });
  if (hubs) undo.use(await showHubIdentity({ server: agents.server, identity: hubs.identity, pki, clock, log }));

  const agentPort = await startListening(agents.server, config.agentListen);
  const scheme = config.meshIdentityPlaintext ? "http" : "https";
  urls.agents =
    config.agentPublicUrl ??
    onHostOf(config.publicUrl, { scheme, port: agentPort }) ??
    toUrl(config.agentListen, { scheme, port: agentPort });
  undo.defer(() => agents.server.closeAllConnections());
  const port = await startListening(people.server, config.listen);
  urls.people = config.publicUrl ?? toUrl(config.listen, { scheme: "https", port });
  const metricsUrl = await openMetrics(undo, { platform, metrics });
  const owned = undo.move();
  return { people: people.server, agents: agents.server, metricsUrl, [Symbol.dispose]: () => owned.dispose() };
}

async function openMetrics(
  undo: DisposableStack,
  options: { readonly platform: Platform; readonly metrics: Metrics },
): Promise<string | undefined> {
  const { platform, metrics: page } = options;
  const { clock, log } = platform;
  const { metricsListen: listen } = platform.config;
  if (listen === undefined) return undefined;
  const server = createMetricsServer({ page, clock, log });
  undo.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return toUrl(listen, { scheme: "http", port: await startListening(server, listen) });
}

async function addPeopleRoutes(
  app: FastifyInstance,
  options: {
    readonly platform: Platform;
    readonly wings: readonly Additions[];
    readonly signedIn: SignedIn;
    readonly metrics: Metrics;
  },
): Promise<void> {
  const { platform, wings, signedIn: access, metrics } = options;
  const { pki, limits, declarations, readiness, tracer, hubInstanceId } = platform;
  const version = {
    version: hubVersion,
    hubInstanceId,
    clusterDomain: platform.config.clusterDomain,
    trustDomain: pki.trustDomain,
    protocolVersions: protocolVersions.map(String),
  };
  for (const wing of wings) wing.addHooks?.(app);
  app.addHook("onRequest", async (_request, reply) => void reply.header(caHeader, pki.caFingerprints.join()));
  addOpenRoutes(app, { version, caPem: () => pki.caPem, readiness });
  await app.register(async (open) => {
    limitStrangers(open, limits);
    for (const routes of wings.flatMap((wing) => wing.openRoutes ?? [])) await open.register(routes);
  });
  await app.register(async (inside) => {
    requirePrincipal(inside, { access, limits });
    if (tracer) traceRequests(inside, tracer);
    addSignedInRoutes(inside, { access, metrics });
    await inside.register(createDeclarationRoutes({ access, declarations }));
    for (const routes of wings.flatMap((wing) => wing.signedInRoutes ?? [])) await inside.register(routes);
  });
}

function toUrl(listen: string, { scheme, port }: Entry): string {
  const { host } = parseListen(listen);
  // Bound to all addresses: the one that is certain to reach us from here.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "localhost" : host;
  return `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Agents reach the hub by the name that people use, unless they are told another. */
function onHostOf(publicUrl: string | undefined, { scheme, port }: Entry): string | undefined {
  return publicUrl === undefined ? undefined : `${scheme}://${new URL(publicUrl).hostname}:${port}`;
}

interface Entry {
  readonly scheme: "http" | "https";
  readonly port: number;
}

function assert(condition: boolean): void {
  if (!condition) throw new Error("not as it should be");
}
