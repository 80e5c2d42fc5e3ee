// A hub beside an API server with Argo CD's kinds, and a managed cluster. Nobody but the player writes applications: no Argo
// CD runs, so that what is measured is carrying them.
import {
  ensureBuilt,
  findLogLines,
  type JoinedCluster,
  joinCluster,
  prepareArgoCrds,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { readLogTime } from "../harness/log-time.ts";
import type { Side } from "../peers/application-player.ts";

export interface ArgoStage extends AsyncDisposable {
  readonly hub: TestHub;
  /** The hub's Argo CD is there. */
  readonly center: TestCluster;
  readonly cluster: TestCluster;
  readonly player: ForkedPeer;
  readonly joined: JoinedCluster;
  /** Milliseconds since the epoch of the agent's newest call about applications. */
  syncedSince(): Promise<number>;
}

export async function setArgoStage({ count }: { readonly count: number }): Promise<ArgoStage> {
  await using undo = new AsyncDisposableStack();
  await ensureBuilt();
  const [center, cluster] = await Promise.all([startCluster({ name: "center" }), startCluster({ name: "bench" })]);
  undo.use(center);
  undo.use(cluster);
  await Promise.all([prepareArgoCrds(center), prepareArgoCrds(cluster)]);
  const hub = undo.use(await startHub({ isBuilt: true, args: ["--argo-kubeconfig", center.adminKubeconfig] }));
  await Promise.all([makeNamespaces(center, ["bench", "plain"]), makeNamespaces(cluster, ["argocd", "plain"])]);
  const joined = undo.use(await joinManaged({ hub, cluster, name: "bench" }));
  const player = undo.use(forkPeer("application-player.ts"));
  await player.ask("open", { hub: sideOf(center, "bench"), cluster: sideOf(cluster, "argocd"), count });
  const release = undo.move();
  return {
    hub,
    center,
    cluster,
    player,
    joined,
    async syncedSince() {
      const lines = await findLogLines(joined.agent.logFile, "the hub and this cluster sync Argo CD's applications");
      return readLogTime(lines.at(-1)?.["time"]);
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** As the chart starts it. */
export async function joinManaged(options: {
  readonly hub: TestHub;
  readonly cluster: TestCluster;
  readonly name: string;
  readonly argoNamespace?: string;
}): Promise<JoinedCluster> {
  const { hub, cluster, name, argoNamespace = "argocd" } = options;
  const joined = await joinCluster({
    hub,
    name,
    roles: ["gitops"],
    kubeconfig: cluster.adminKubeconfig,
    isAgentBuilt: true,
    agentEnv: { MALLOC_ARENA_MAX: "1" },
    agentArgs: ["--argo-namespace", argoNamespace],
  });
  await hub.cli(["cluster", "set", name, "--gitops-mode", "managed"]);
  return joined;
}

function sideOf({ url, caPem, adminToken: token }: TestCluster, namespace: string): Side {
  return { url, caPem, token, namespace };
}

export async function makeNamespaces({ api }: TestCluster, names: readonly string[]): Promise<void> {
  for (const name of names)
    await api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
}
