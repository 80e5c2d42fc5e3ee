// The three ways to one API server that are compared: direct, a plain reverse proxy, and hub -> link -> agent.
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { createAgentKubeconfig, startAgent, startCluster, startHub, type TestHub } from "@fairlead/testkit";
import { impersonate } from "../harness/identity.ts";
import { createBenchObjects } from "../harness/kube-objects.ts";
import type { Route } from "../harness/load.ts";
import { startPeer } from "../harness/peer-process.ts";
import type { StaffedRoute } from "../harness/request-cpu.ts";

export interface LinkStage extends AsyncDisposable {
  readonly direct: Route;
  readonly proxy: Route;
  readonly fairlead: Route;
  /** The three, and direct in the name of fairlead's user, each with who works for it. */
  readonly staffed: readonly StaffedRoute[];
  readonly hub: TestHub;
  /** A ConfigMap of 1 KiB. */
  readonly smallPath: string;
  /** The path through the API server to a local process that sends or takes bulk. */
  readonly bulkPath: string;
}

export async function setLinkStage(): Promise<LinkStage> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: 1 }));
  const hub = undo.use(await startHub());
  const kubeconfig = await createAgentKubeconfig(cluster);
  const tokenFile = join(hub.dataDir, "..", "bench.token");
  await hub.cli(["cluster", "add", "bench", "--token-out", tokenFile]);
  // No cable: a relay in the load's own process would be measured too.
  const agent = undo.use(await startAgent({ name: "bench", hubUrl: hub.agentUrl, tokenFile, kubeconfig }));
  const authorization = `Bearer ${await createBenchObjects(cluster)}`;

  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const server = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 24 * 3600 * 1000 });
  const proxyPeer = undo.use(
    await startPeer("https-reverse-proxy.ts", {
      certPem: server.certPem,
      keyPem: server.keyPem,
      upstream: cluster.url,
      upstreamCa: cluster.caPem,
      upstreamAuthorization: authorization,
    }),
  );
  const bulk = undo.use(await startPeer("bulk-server.ts", {}));
  const direct = { name: "direct", origin: cluster.url, pathPrefix: "", ca: cluster.caPem, authorization };
  const proxy = {
    name: "proxy",
    origin: `https://127.0.0.1:${proxyPeer.port}`,
    pathPrefix: "",
    ca: authority.caPem,
    authorization,
  };
  const fairlead = {
    name: "fairlead",
    origin: hub.url,
    pathPrefix: "/k8s/clusters/bench",
    ca: hub.caPem,
    authorization: `Bearer ${hub.adminToken}`,
  };
  const apiServer = cluster.apiServer.pid ?? 0;
  const staffed = [
    { route: direct, processes: { apiServer } },
    { route: await impersonate({ cluster, direct, viaHub: fairlead }), processes: { apiServer } },
    { route: proxy, processes: { proxy: proxyPeer.pid, apiServer } },
    { route: fairlead, processes: { hub: hub.process.pid, agent: agent.process.pid, apiServer } },
  ];
  const release = undo.move();
  return {
    direct,
    proxy,
    fairlead,
    staffed,
    hub,
    smallPath: "/api/v1/namespaces/default/configmaps/small",
    bulkPath: `/api/v1/namespaces/default/pods/bulk:${bulk.port}/proxy`,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
