// A real API server with a namespace of the agent's own and one in which commands are at work, and a hub's key.
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { createTestSigner, type TestSigner } from "./signing.fixture.ts";

export interface ClusterHarness extends AsyncDisposable {
  readonly own: TestNamespace;
  readonly team: TestNamespace;
  /** The agent's client, which may do anything. */
  readonly client: KubeClient;
  readonly signer: TestSigner;
}

export async function openClusterHarness(): Promise<ClusterHarness> {
  await using undo = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  const own = undo.use(await createNamespace(cluster));
  const team = undo.use(await createNamespace(cluster, "team"));
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  const client = undo.use(createKubeClient({ access: { ...access, namespace: own.name } }));
  const signer = await createTestSigner();
  const opened = undo.move();
  return { own, team, client, signer, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
