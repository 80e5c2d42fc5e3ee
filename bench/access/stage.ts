// An API server, and all the ways to it that are compared: straight, through a plain reverse proxy, through two reverse
// tunnels that pass TLS on, and through hub and agent; the last two also over a long and over a narrow cable.
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import {
  createAgentKubeconfig,
  type JoinedCluster,
  joinCluster,
  startAgent,
  startCluster,
  startHub,
  type TestAgent,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { impersonate } from "../harness/identity.ts";
import { createBenchObjects } from "../harness/kube-objects.ts";
import type { Route } from "../harness/load.ts";
import { startPeer } from "../harness/peer-process.ts";
import type { StaffedRoute } from "../harness/request-cpu.ts";
import { startOpenSsh, type Tunnel } from "./openssh.ts";
import { startRemotedialer } from "./remotedialer.ts";

export interface AccessStage extends AsyncDisposable {
  readonly hub: TestHub;
  readonly cluster: TestCluster;
  /** Direct, proxy, the tunnels that could be started, and fairlead. */
  readonly ways: readonly Route[];
  /** Direct, direct in the name of fairlead's user, proxy and fairlead, each with who works for it. */
  readonly staffed: readonly StaffedRoute[];
  /** Direct and fairlead over a cable of 50 ms there and back. */
  readonly far: readonly Route[];
  /** Direct and fairlead over a cable of 100 Mbit/s and 20 ms there and back. */
  readonly narrow: readonly Route[];
  /** The last of the ways. */
  readonly viaHub: Route;
  /** A cluster of the hub whose cable can be cut. */
  readonly cuttable: JoinedCluster;
  /** A ConfigMap of 1 KiB. */
  readonly smallPath: string;
  /** The path through the API server to a local process that sends or takes bulk. */
  readonly bulkPath: string;
  /** The port of that process, for port-forwards. */
  readonly bulkPort: number;
}

export async function setAccessStage({ say }: { say: (text: string) => void }): Promise<AccessStage> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: 1 }));
  // A single user plays all the parts here.
  const hub = undo.use(await startHub({ args: ["--limit-user-streams", "2000"] }));
  const agentKubeconfig = await createAgentKubeconfig(cluster);
  const authorization = `Bearer ${await createBenchObjects(cluster)}`;
  const joinAs = (name: string, conditions?: object) =>
    joinThroughPeer({ hub, name, kubeconfig: agentKubeconfig, conditions, undo });
  const viaHub = (name: string, cluster = name): Route => ({
    name,
    origin: hub.url,
    pathPrefix: `/k8s/clusters/${cluster}`,
    ca: hub.caPem,
    authorization: `Bearer ${hub.adminToken}`,
  });
  const viaPort = (name: string, port: number): Route => ({
    name,
    origin: `https://127.0.0.1:${port}`,
    pathPrefix: "",
    ca: cluster.caPem,
    authorization,
  });
  const targetPort = Number(new URL(cluster.url).port);

  const nearAgent = await joinAs("near");
  const long = { rttMs: 50 };
  await joinAs("far", long);
  const thin = { rttMs: 20, bytesPerSecond: 12_500_000 };
  await joinAs("narrow", thin);
  const cuttable = undo.use(await joinCluster({ hub, name: "cuttable", kubeconfig: agentKubeconfig }));
  const longDirect = undo.use(await startPeer("cable.ts", { port: targetPort, ...long }));
  const thinDirect = undo.use(await startPeer("cable.ts", { port: targetPort, ...thin }));
  const { route: proxy, pid: proxyPid } = await startProxy({ cluster, authorization, undo });
  const tunnels: Route[] = [];
  for (const [name, start] of [
    ["openssh", startOpenSsh],
    ["remotedialer", startRemotedialer],
  ] as const) {
    const tunnel = await startIfPossible({ name, start: () => start({ targetPort }), undo, say });
    if (tunnel) tunnels.push(viaPort(name, tunnel.port));
  }
  const bulk = undo.use(await startPeer("bulk-server.ts", {}));
  const near = viaHub("fairlead", "near");
  const direct = viaPort("direct", targetPort);
  const apiServer = cluster.apiServer.pid ?? 0;
  const staffed = [
    { route: direct, processes: { apiServer } },
    { route: await impersonate({ cluster, direct, viaHub: near }), processes: { apiServer } },
    { route: proxy, processes: { proxy: proxyPid, apiServer } },
    { route: near, processes: { hub: hub.process.pid, agent: nearAgent.process.pid, apiServer } },
  ];
  const release = undo.move();
  return {
    hub,
    cluster,
    ways: [direct, proxy, ...tunnels, near],
    staffed,
    viaHub: near,
    far: [viaPort("direct", longDirect.port), viaHub("fairlead", "far")],
    narrow: [viaPort("direct", thinDirect.port), viaHub("fairlead", "narrow")],
    cuttable,
    smallPath: "/api/v1/namespaces/default/configmaps/small",
    bulkPath: `/api/v1/namespaces/default/pods/bulk:${bulk.port}/proxy`,
    bulkPort: bulk.port,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** An agent whose cable, if it has one, lies in a process of its own. */
async function joinThroughPeer(options: {
  hub: TestHub;
  name: string;
  kubeconfig: string;
  conditions: object | undefined;
  undo: AsyncDisposableStack;
}): Promise<TestAgent> {
  const { hub, name, kubeconfig, conditions, undo } = options;
  const tokenFile = join(hub.dataDir, "..", `${name}.token`);
  await hub.cli(["cluster", "add", name, "--token-out", tokenFile]);
  const cable = conditions && undo.use(await startPeer("cable.ts", { port: hub.agentPort, ...conditions }));
  const hubUrl = `https://127.0.0.1:${cable?.port ?? hub.agentPort}`;
  return undo.use(await startAgent({ name, hubUrl, tokenFile, kubeconfig }));
}

async function startProxy(options: {
  cluster: TestCluster;
  authorization: string;
  undo: AsyncDisposableStack;
}): Promise<{ route: Route; pid: number }> {
  const { cluster, authorization, undo } = options;
  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const server = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 24 * 3600 * 1000 });
  const settings = {
    certPem: server.certPem,
    keyPem: server.keyPem,
    upstream: cluster.url,
    upstreamCa: cluster.caPem,
    upstreamAuthorization: authorization,
  };
  const { port, pid } = undo.use(await startPeer("https-reverse-proxy.ts", settings));
  const origin = `https://127.0.0.1:${port}`;
  return { route: { name: "proxy", origin, pathPrefix: "", ca: authority.caPem, authorization }, pid };
}

/** A peer that this machine can't run is left out, and said so. */
async function startIfPossible(options: {
  name: string;
  start: () => Promise<Tunnel>;
  undo: AsyncDisposableStack;
  say: (text: string) => void;
}): Promise<Tunnel | undefined> {
  try {
    return options.undo.use(await options.start());
  } catch (error) {
    options.say(`${options.name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
