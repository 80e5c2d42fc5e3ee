// The three ways to one API server that are compared: direct, a plain reverse proxy, and hub -> link -> agent.
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { createAgentKubeconfig, startAgent, startCluster, startHub, type TestHub } from "@fairlead/testkit";
import { createBenchObjects } from "../harness/kube-objects.ts";
import type { Route } from "../harness/load.ts";
import { startPeer } from "../harness/peer-process.ts";

export interface LinkStage extends AsyncDisposable {
  readonly direct: Route;
  readonly proxy: Route;
  readonly fairlead: Route;
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
  undo.use(await startAgent({ name: "bench", hubUrl: hub.agentUrl, tokenFile, kubeconfig }));
  const authorization = `Bearer ${await createBenchObjects(cluster)}`;

  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const server = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 24 * 3600 * 1000 });
  const proxy = undo.use(
    await startPeer("https-reverse-proxy.ts", {
      certPem: server.certPem,
      keyPem: server.keyPem,
      upstream: cluster.url,
      upstreamCa: cluster.caPem,
      upstreamAuthorization: authorization,
    }),
  );
  const bulk = undo.use(await startPeer("bulk-server.ts", {}));
  const release = undo.move();
  return {
    direct: { name: "direct", origin: cluster.url, pathPrefix: "", ca: cluster.caPem, authorization },
    proxy: {
      name: "proxy",
      origin: `https://127.0.0.1:${proxy.port}`,
      pathPrefix: "",
      ca: authority.caPem,
      authorization,
    },
    fairlead: {
      name: "fairlead",
      origin: hub.url,
      pathPrefix: "/k8s/clusters/bench",
      ca: hub.caPem,
      authorization: `Bearer ${hub.adminToken}`,
    },
    hub,
    smallPath: "/api/v1/namespaces/default/configmaps/small",
    bulkPath: `/api/v1/namespaces/default/pods/bulk:${bulk.port}/proxy`,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
