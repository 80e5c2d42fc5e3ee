import { createKubeClient, loadKubeconfig } from "@fairlead/kube";
import { leaseCluster, prepareArgoCrds } from "@fairlead/testkit";
import type { ContractHarness } from "../hub-objects.contract.fixture.ts";
import { createKubernetesObjects } from "./index.ts";

/** A hub's objects in a Kubernetes cluster with Argo CD's kinds. */
export async function openClusterHarness(): Promise<ContractHarness> {
  const opened = new AsyncDisposableStack();
  const cluster = opened.use(await leaseCluster({ name: "argo-objects", nodes: 0 }));
  await prepareArgoCrds(cluster);
  const client = opened.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  const terms = new Map<string, bigint>();
  const isOwner = ({ cluster: owned, term }: { cluster: string; term: bigint }): boolean => terms.get(owned) === term;
  let namespaces = 0;
  return {
    objects: createKubernetesObjects({ client, isOwner }),
    async newNamespace() {
      const name = `cluster-${++namespaces}`;
      await cluster.api.send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
      return name;
    },
    async own(owned) {
      const term = (terms.get(owned) ?? 0n) + 1n;
      terms.set(owned, term);
      return { cluster: owned, term };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
