// A cluster whose agent is linked to the first of two hubs.
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { createAgentKubeconfig, startAgent, startCluster, startHubs, type TestHub } from "@fairlead/testkit";
import { createBenchObjects } from "../harness/kube-objects.ts";
import type { Route } from "../harness/load.ts";
import type { MeasuredPaths } from "../harness/measure-way.ts";
import { startPeer } from "../harness/peer-process.ts";

export interface ScaleStage extends AsyncDisposable {
  /** Straight to the API server, by the hub that has the link, and by its neighbour. */
  readonly routes: readonly [Route, Route, Route];
  /** By a plain reverse proxy to the hub that has the link: one process more, as with the neighbour. */
  readonly proxy: Route;
  readonly paths: MeasuredPaths;
}

export async function setScaleStage(): Promise<ScaleStage> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: 1 }));
  // No balancer: a relay in the load's own process would be measured too.
  const { hubs } = undo.use(await startHubs({ count: 2, isBuilt: true }));
  const [owner, neighbour] = hubs;
  if (owner === undefined || neighbour === undefined) throw new Error("this takes two hubs");
  const kubeconfig = await createAgentKubeconfig(cluster);
  const tokenFile = join(owner.dataDir, "..", "bench.token");
  await owner.cli(["cluster", "add", "bench", "--token-out", tokenFile]);
  undo.use(await startAgent({ name: "bench", hubUrl: owner.agentUrl, tokenFile, kubeconfig, isBuilt: true }));
  const authorization = `Bearer ${await createBenchObjects(cluster)}`;
  const bulk = undo.use(await startPeer("bulk-server.ts", {}));
  const direct = { name: "direct", origin: cluster.url, pathPrefix: "", ca: cluster.caPem, authorization };
  const own = by("own hub", owner);
  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 24 * 3_600_000 });
  const { port } = undo.use(
    await startPeer("https-reverse-proxy.ts", {
      certPem,
      keyPem,
      upstream: own.origin,
      upstreamCa: own.ca,
      upstreamAuthorization: own.authorization,
    }),
  );
  const release = undo.move();
  return {
    routes: [direct, own, by("neighbour", neighbour)],
    proxy: { ...own, name: "proxy", origin: `https://127.0.0.1:${port}`, ca: authority.caPem },
    paths: {
      smallPath: "/api/v1/namespaces/default/configmaps/small",
      bulkPath: `/api/v1/namespaces/default/pods/bulk:${bulk.port}/proxy`,
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

function by(name: string, hub: TestHub): Route {
  const authorization = `Bearer ${hub.adminToken}`;
  return { name, origin: hub.url, pathPrefix: "/k8s/clusters/bench", ca: hub.caPem, authorization };
}
