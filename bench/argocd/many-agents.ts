// Many clusters at one hub. Their agents share one API server, each with an Argo CD namespace of its own.
import { waitUntil } from "@fairlead/kernel/testing";
import { prepareArgoCrds, startCluster, startHub, type TestCluster } from "@fairlead/testkit";
import type { Row } from "../harness/table.ts";
import { hubMemoryOf } from "./memory.ts";
import { joinManaged, makeNamespaces } from "./stage.ts";

const joinsAtOnce = 4;
const patienceMs = 300_000;
const path = "/apis/argoproj.io/v1alpha1";

export async function measureManyAgents(options: {
  agents: number;
  each: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { agents, each, say } = options;
  await using undo = new AsyncDisposableStack();
  const [center, cluster] = await Promise.all([startCluster({ name: "center" }), startCluster({ name: "many" })]);
  undo.use(center);
  undo.use(cluster);
  await Promise.all([prepareArgoCrds(center), prepareArgoCrds(cluster)]);
  const hub = undo.use(await startHub({ isBuilt: true, args: ["--argo-kubeconfig", center.adminKubeconfig] }));
  const names = Array.from({ length: agents }, (_, index) => `many-${index}`);
  await Promise.all([makeNamespaces(center, names), makeNamespaces(cluster, names)]);
  const waiting = [...names];
  await Promise.all(
    Array.from({ length: joinsAtOnce }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
        undo.use(await joinManaged({ hub, cluster, name, argoNamespace: name }));
    }),
  );
  say(`${agents} agents are linked; making ${agents * each} applications`);
  const begunMs = performance.now();
  await Promise.all(names.map((name) => createAll(center, name, each)));
  const madeMs = performance.now();
  const areThere = async () => (await countCopies(cluster)) === agents * each;
  if (!(await waitUntil(areThere, { timeoutMs: patienceMs, intervalMs: 500 })))
    throw new Error(`not all applications are in the clusters after ${patienceMs / 1000} s`);
  return [
    {
      name: `${agents * each} applications made on the hub, until they are in ${agents} clusters`,
      unit: "s",
      figures: { direct: (madeMs - begunMs) / 1000, fairlead: (performance.now() - begunMs) / 1000 },
    },
    hubMemoryOf(hub.process.pid, `the hub's memory with ${agents * each} applications of ${agents} clusters`),
  ];
}

async function createAll({ api }: TestCluster, namespace: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const body = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: `app-${index}`, namespace },
      spec: {
        project: "default",
        source: { repoURL: "https://git.example.com/deployments.git", path: `apps/${index}`, targetRevision: "main" },
        destination: { server: "https://kubernetes.default.svc", namespace: `app-${index}` },
      },
    };
    await api.json({ method: "POST", path: `${path}/namespaces/${namespace}/applications`, body });
  }
}

async function countCopies({ api }: TestCluster): Promise<number> {
  type Page = { items: unknown[]; metadata: { remainingItemCount?: number } };
  const { items, metadata } = await api.json<Page>({ path: `${path}/applications?limit=1` });
  return items.length + (metadata.remainingItemCount ?? 0);
}
