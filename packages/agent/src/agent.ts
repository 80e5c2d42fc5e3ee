// The agent as one object: what is started in which order, and how it stops.
import { type Clock, createId, forComponent, setLogCluster, sleep, systemClock } from "@fairlead/kernel";
import { startTracing } from "@fairlead/kernel/tracing";
import {
  type ClusterAccess,
  createKubeClient,
  createKubePool,
  inClusterConfig,
  isInCluster,
  loadKubeconfig,
} from "@fairlead/kube";
import {
  capabilities,
  createLinkBudget,
  createRpcAcceptor,
  RenewalService,
  ResourceTreeService,
  type Role,
} from "@fairlead/protocol";
import type { Logger } from "pino";
import { createAuditLog, openAuditStdout } from "./audit/index.ts";
import { chooseOwnNamespace } from "./choose-storage.ts";
import { type AgentConfig, configErrors, type ListenAddress, listenFailed } from "./config/index.ts";
import { chooseProxy, readExtraCa } from "./dial/index.ts";
import { startExecuting } from "./executing.ts";
import { createRenewSoon } from "./identity/index.ts";
import {
  createCurrentLink,
  createHubClock,
  createIntroduction,
  createLinkKeeper,
  createSpareConnection,
  dialLink,
  learnClusterFacts,
  type WelcomedLink,
} from "./link/index.ts";
import { startObserving } from "./observing.ts";
import { createOwnIdentity } from "./own-identity.ts";
import { openPolicy } from "./policy/index.ts";
import { createProxyAcceptor, createProxyCounters, proxyCapabilities } from "./proxy/index.ts";
import { createResourceTrees, openArgoRedis } from "./resource-tree/index.ts";
import { routeStreams } from "./route-streams.ts";
import { serveSharedBackends } from "./shared-backends/index.ts";
import { startSyncing } from "./syncing.ts";
import { createMetrics, loadTracing, serveHealth, serveMetrics } from "./telemetry/index.ts";
import { agentVersion } from "./version.ts";

export interface Agent {
  readonly healthUrl: string;
  /** Undefined without `--metrics-listen`. */
  readonly metricsUrl: string | undefined;
  /** Resolves after a stop; rejects when the agent can't go on and no retry would help. */
  readonly finished: Promise<void>;
  /** Takes no new requests, lets those in flight end until the deadline, then closes. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

export async function startAgent(options: { config: AgentConfig; log: Logger; clock?: Clock }): Promise<Agent> {
  const { config, log, clock = systemClock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const route = { hub: config.hub, proxy: chooseProxy(config), caFile: config.caFile };
  // A file that isn't there is said at once and not with every dial.
  await readExtraCa(config.caFile);
  const policy = await openPolicy({ path: config.policyFile, log: forComponent(log, "agent/policy"), clock });
  const access = await openAccess(config);
  const client = createKubeClient({ access });
  const pool = createKubePool({ access });
  const counters = createProxyCounters();
  const instanceId = createId("agent");
  const tracer = await startTracing(config.tracing, {
    log: forComponent(log, "agent/tracing"),
    load: loadTracing,
    resource: {
      "service.name": "fairlead-agent",
      "service.version": agentVersion,
      "service.instance.id": instanceId,
    },
  });
  const { redis: redisConfig, argoNamespace, applicationNamespaces } = config.gitops;
  const redis = redisConfig && (await openArgoRedis(redisConfig, { clock, log: forComponent(log, "agent/gitops") }));
  const trees =
    redis &&
    createResourceTrees({ redis, argo: { namespace: argoNamespace, applicationNamespaces }, stopping: signal });
  const self = {
    instanceId,
    version: agentVersion,
    roles: config.roles,
    capabilities: [
      ...proxyCapabilities,
      capabilities.renewSoon,
      ...(trees ? [capabilities.resourceTrees, capabilities.clusterInfo] : []),
    ],
  };
  const own = createOwnIdentity({
    config,
    route,
    client,
    clock,
    log: forComponent(log, "agent/identity"),
    onCommandKeys: learnCommandKeys,
  });
  const { keeper: identity } = own;
  setLogCluster(log, () => identity.current?.cluster);
  const auditOutput = openAuditStdout();
  const auditLog = createAuditLog({
    output: auditOutput,
    clock,
    log: forComponent(log, "agent/audit"),
    cluster: () => identity.current?.cluster,
  });
  const renewSoon = createRenewSoon({ clock });
  const accept = routeStreams({
    roles: config.roles,
    kubernetes: auditLog.meter(
      createProxyAcceptor({
        pool,
        counters,
        policy,
        ownNamespace: chooseOwnNamespace(config, client),
        clock,
        tracer,
        onFinished: auditLog.finished,
      }),
    ),
    rpc: createRpcAcceptor({
      routes: (router) => {
        router.service(RenewalService, {
          renewSoon({ withinMs }) {
            renewSoon.ask(withinMs);
            return {};
          },
        });
        if (trees) router.service(ResourceTreeService, trees);
      },
    }),
  });
  const budget = createLinkBudget({ totalBytes: linkBudgetBytes });
  /** The link that objects are reported over: only where the hub takes them. */
  const reportLink = createCurrentLink();
  /** The link that commands come over: only where the hub lets this agent have them. */
  const commandLink = createCurrentLink();
  /** The link that Argo CD's applications are synced over: only where the hub lets this agent do so. */
  const syncLink = createCurrentLink();
  let welcomed: WelcomedLink | undefined;
  const hubClock = createHubClock({
    clock,
    // For people who look at the cluster.
    onChanged: () => void introduction.again().catch((error: unknown) => log.debug({ err: error }, "hello failed")),
  });
  const introduction = createIntroduction({
    self,
    clock,
    log: forComponent(log, "agent/link"),
    signal,
    onAnswered() {
      if (introduction.welcome) hubClock.welcomed(introduction.welcome.clockSkewMs);
      chooseLinks();
    },
    current: () => {
      const cluster = identity.current?.cluster;
      return links.current && cluster !== undefined ? { link: links.current, cluster } : undefined;
    },
  });
  const spare = createSpareConnection();
  const links = createLinkKeeper({
    identity,
    clock,
    log: forComponent(log, "agent/link"),
    signal,
    dial: (issued, dialSignal) =>
      dialLink({
        route,
        identity: issued,
        accept,
        budget,
        clock,
        spare,
        signal: dialSignal,
        currentIdentity: () => identity.current,
      }),
    async hello(link, { cluster }, helloSignal) {
      link.onPeerTime = hubClock.pinged;
      const welcome = await introduction.hello(link, cluster, helloSignal);
      own.learn(welcome.cluster);
      return welcome;
    },
    onCurrent: (current) => {
      welcomed = current;
      chooseLinks();
    },
  });
  const observing = config.roles.includes("observe")
    ? startObserving({
        config,
        client,
        clock,
        log: forComponent(log, "agent/observe"),
        signal,
        links: reportLink,
        instanceId: self.instanceId,
        kubeSystemUid: async () => introduction.facts.kubeSystemUid,
      })
    : undefined;
  const executing = config.roles.includes("execute")
    ? await startExecuting({
        config,
        client,
        policy,
        clock,
        log: forComponent(log, "agent/execute"),
        links: commandLink,
        instanceId: self.instanceId,
        environment: config.env,
        cluster: () => identity.current?.cluster,
        clockSkewMs: () => hubClock.skewMs,
        untilTimeSaid: hubClock.untilSaid,
        askForKeys: introduction.again,
        tracer,
      })
    : undefined;
  const syncing = config.roles.includes("gitops")
    ? startSyncing({
        config,
        client,
        clock,
        log: forComponent(log, "agent/gitops"),
        signal,
        links: syncLink,
        instanceId: self.instanceId,
        kubeSystemUid: () => introduction.facts.kubeSystemUid,
        tracer,
      })
    : undefined;
  const shared = await serveSharedBackends({
    config: config.gitops.sharedBackends,
    links: syncLink,
    clock,
    log: forComponent(log, "agent/gitops"),
  }).catch((error: unknown) => {
    stopping.abort(error);
    throw error;
  });
  const registry = createMetrics({
    version: agentVersion,
    nowMs: () => hubClock.nowMs,
    links,
    proxy: counters,
    apiServer: pool.stats,
    observing,
    executing,
    syncing,
    tracing: tracer?.counters,
    certificateExpiresAtMs: own.certificateExpiresAtMs,
  });
  const { healthListen, metricsListen } = config;
  const health = await serveHealth({
    ...healthListen,
    registry,
    checks: {
      hub: async (checkSignal) => {
        if (!links.current) throw new Error("not connected");
        const shortcoming = introduction.refusal ?? identity.shortfall;
        if (shortcoming) throw shortcoming;
        await links.current.ping({ signal: checkSignal });
      },
      "api-server": (checkSignal) => client.request({ path: "/version", signal: checkSignal, timeoutMs: 3_000 }),
      ...(observing && { inventory: observing.check }),
      ...(executing && { commands: executing.check }),
      ...(syncing && { applications: syncing.check }),
    },
  }).catch((error: unknown) => giveUp(healthListen, error));
  const metrics =
    metricsListen &&
    (await serveMetrics({ ...metricsListen, registry, clock }).catch(async (error: unknown) => {
      await health[Symbol.asyncDispose]();
      return await giveUp(metricsListen, error);
    }));
  log.info(
    {
      healthUrl: health.url,
      metricsUrl: metrics?.url,
      hub: config.hub.origin,
      proxy: route.proxy?.host,
      apiServer: access.server.origin,
      version: agentVersion,
    },
    "agent starts",
  );

  const finished = links.run();
  // Callers that wait for `finished` get the error. Without one it must not end the process by itself.
  finished.catch(() => undefined);
  own.keep({ links, welcomed: () => welcomed, renewSoon, hubNowMs: () => hubClock.nowMs, signal });
  void learnClusterFacts({ client, clock, signal, log, onLearned: introduction.learn });
  return { healthUrl: health.url, metricsUrl: metrics?.url, finished, stop };

  async function giveUp({ host, port }: ListenAddress, error: unknown): Promise<never> {
    stopping.abort(error);
    await shared[Symbol.asyncDispose]();
    throw listenFailed(`${host}:${port}`, error);
  }

  function chooseLinks(): void {
    const isTaken = introduction.refusal === undefined && introduction.facts.kubeSystemUid !== "";
    const linkFor = (role: Role): WelcomedLink | undefined =>
      isTaken && identity.current?.roles.includes(role) === true ? welcomed : undefined;
    reportLink.set(linkFor("observe"));
    learnCommandKeys(introduction.welcome?.commandKeys ?? []);
    commandLink.set(linkFor("execute"));
    syncLink.set(linkFor("gitops"));
  }

  function learnCommandKeys(jwks: readonly string[]): void {
    executing?.learnKeys(jwks).catch((error: unknown) => log.warn({ err: error }, "keys of commands can't be read"));
  }

  async function stop({ drainMs = config.drainMs } = {}): Promise<void> {
    // First: what commands came to is told over the links.
    const beganMs = clock.steadyMs();
    await executing?.stop({ drainMs });
    await shared[Symbol.asyncDispose]();
    const leftMs = Math.max(0, drainMs - Math.max(0, clock.steadyMs() - beganMs));
    stopping.abort(new DOMException("The agent is stopping.", "AbortError"));
    const open = [...links.all];
    const drained = Promise.all(
      open.map((link) => link.goAway({ reason: "agent is stopping", drainMs: leftMs }).catch(() => undefined)),
    );
    await Promise.race([drained, sleep(leftMs + 1_000, { clock })]);
    for (const link of open) link.close("agent is stopping");
    await Promise.all([finished.catch(() => undefined), observing?.finished, syncing?.finished]);
    policy[Symbol.dispose]();
    redis?.[Symbol.dispose]();
    await Promise.all([pool[Symbol.asyncDispose](), client[Symbol.asyncDispose]()]);
    await Promise.all([health[Symbol.asyncDispose](), metrics?.[Symbol.asyncDispose]()]);
    auditOutput[Symbol.dispose]();
    await tracer?.[Symbol.asyncDispose]();
    log.info({}, "agent is stopped");
  }
}

/** A kubeconfig when one was given, otherwise the pod's service account. */
function openAccess(config: AgentConfig): Promise<ClusterAccess> {
  const { kubeconfig: path, context, env } = config;
  if (path !== undefined) return loadKubeconfig({ path, context, env });
  if (isInCluster(env)) return inClusterConfig({ env });
  return Promise.reject(configErrors.CONFIG_CLUSTER_ACCESS_MISSING());
}

const linkBudgetBytes = 256 * 1024 * 1024;
