// A cluster's history that is shorter than the agent remembers: etcd compacted it, or the cluster was restored from a
// backup and lives through some of it once more. Hub and agents run on meanwhile. The cluster also has the hub's Argo CD, and
// those of a managed and of an autonomous cluster.
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  backUpEtcd,
  createNamespace,
  joinCluster,
  prepareArgoCrds,
  restoreEtcd,
  startCluster,
  type TestCluster,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, create, patch, pathOf, pod, remove, widget } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

const patience = { timeout: 120_000, interval: 200 };
const undo = new AsyncDisposableStack();
let cluster: TestCluster;
let fleet: ObserveFleet;
let maps: string;
let managed: ArgoCluster;
let autonomous: ArgoCluster;
beforeAll(async () => {
  // Watches of config maps come straight from etcd, without a cache that remembers what etcd compacted.
  const extraArgs = { "kube-apiserver": ["--etcd-compaction-interval=2s", "--watch-cache-sizes=configmaps#0"] };
  cluster = undo.use(await startCluster({ name: "forgetful", extraArgs }));
  await prepareArgoCrds(cluster);
  const hubArgo = (await createNamespace(cluster, "hub-argo")).name;
  const args = ["--argo-kubeconfig", cluster.adminKubeconfig, "--argo-namespace", hubArgo];
  fleet = undo.use(await startObserveFleet({ cluster, hubOptions: { args } }));
  maps = pathOf("configmaps", fleet.namespace.name);
  [managed, autonomous] = await Promise.all([joinArgo("managed"), joinArgo("autonomous")]);
});
afterAll(() => undo.disposeAsync());

test("changes and deletes arrive of which etcd has forgotten everything when the agent asks again", async () => {
  for (const name of ["kept", "changed", "removed"]) await create(cluster, maps, configMap(name));
  await compareWithApiServer(fleet);
  const { metadata } = await cluster.api.json<{ metadata: { resourceVersion: string } }>({ path: maps });
  fleet.apiCable.cut();
  await create(cluster, maps, configMap("added"));
  await patch(cluster, `${maps}/changed`, { data: { a: "2" } });
  await remove(cluster, `${maps}/removed`);
  const isForgotten = async () => {
    const path = `${maps}?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
    const { status, text } = await cluster.api.send({ path });
    return status === 410 || text.includes('"code":410');
  };
  expect(await waitUntil(isForgotten, { timeoutMs: 60_000, intervalMs: 500 })).toBe(true);
  fleet.apiCable.heal();
  await compareWithApiServer(fleet);
});

test("a cluster that is restored from a backup is shown as it is then, and followed on, applications on both sides included", {
  timeout: 400_000,
}, async () => {
  const { widgets, namespace } = fleet;
  const path = widgets.path(namespace.name);
  for (const name of ["before", "changed-after"]) await create(cluster, maps, configMap(name, { a: "1" }));
  await create(cluster, path, widget(widgets.apiVersion, "removed-after", { size: 1 }));
  await create(cluster, path, widget(widgets.apiVersion, "changed-after", { size: 1 }));
  await create(cluster, applicationsIn(managed.onHub), application("shop"));
  await create(cluster, applicationsIn(autonomous.there), application("shop"));
  await expectSource(managed.there, "shop", "first");
  await expectSource(autonomous.onHub, "shop", "first");
  const backup = join(cluster.stateDir, "etcd-backup");
  await backUpEtcd(cluster, backup);

  await patch(cluster, `${maps}/changed-after`, { data: { b: "2" } });
  await patch(cluster, `${path}/changed-after`, { spec: { size: 2 } });
  await remove(cluster, `${path}/removed-after`);
  for (let index = 0; index < 60; index++) await create(cluster, maps, configMap(`after-${index}`));
  await create(cluster, pathOf("pods", namespace.name), pod("after"));
  for (const name of ["shop", "after"]) {
    await create(cluster, applicationsIn(managed.onHub), application(name));
    await create(cluster, applicationsIn(autonomous.there), application(name));
    await setSource(managed.onHub, name, "lost");
    await setSource(autonomous.there, name, "lost");
    await expectSource(managed.there, name, "lost");
    await expectSource(autonomous.onHub, name, "lost");
    await setHealth(managed, name, "Degraded");
  }
  await compareWithApiServer(fleet);

  await restoreEtcd(cluster, backup);
  expect((await cluster.api.send({ path: `${maps}/after-0` })).status).toBe(404);
  await compareWithApiServer(fleet);
  await expectSource(managed.there, "shop", "first");
  await expectSource(autonomous.onHub, "shop", "first");
  // The same numbers as before the restore, for other changes.
  await patch(cluster, `${path}/changed-after`, { spec: { size: 3 } });
  await setSource(managed.onHub, "shop", "second");
  await setSource(autonomous.there, "shop", "second");
  for (let index = 0; index < 20; index++) await create(cluster, maps, configMap(`again-${index}`));
  await compareWithApiServer(fleet);
  const shown = await fleet.list({ kind: widgets.kind });
  expect(shown.map(({ name, object }) => [name, (object as { spec?: unknown }).spec])).toEqual([
    ["changed-after", { size: 3 }],
    ["removed-after", { size: 1 }],
  ]);
  await expectSource(managed.there, "shop", "second");
  await expectSource(autonomous.onHub, "shop", "second");
  await setHealth(managed, "shop", "Healthy");
  for (const side of [managed.there, managed.onHub, autonomous.there, autonomous.onHub])
    await expect.poll(() => sourceOf(side, "after"), patience).toBeUndefined();
});

/** Namespaces of the Argo CD that a cluster has, and of its applications on the hub. */
interface ArgoCluster {
  readonly there: string;
  readonly onHub: string;
}

async function joinArgo(mode: "managed" | "autonomous"): Promise<ArgoCluster> {
  const there = (await createNamespace(cluster, "argo")).name;
  const onHub = (await createNamespace(cluster, mode)).name;
  const { hub } = fleet;
  const { adminKubeconfig: kubeconfig } = cluster;
  const agentArgs = ["--argo-namespace", there];
  undo.use(await joinCluster({ hub, name: onHub, roles: ["gitops"], kubeconfig, agentArgs }));
  await hub.cli(["cluster", "set", onHub, "--gitops-mode", mode]);
  return { there, onHub };
}

function applicationsIn(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
}

function application(name: string): object {
  const source = { repoURL: "https://git.example/a", path: "first" };
  const spec = { project: "default", destination: { name: "in-cluster", namespace: name }, source };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { name }, spec };
}

async function setSource(namespace: string, name: string, path: string): Promise<void> {
  await patch(cluster, `${applicationsIn(namespace)}/${name}`, { spec: { source: { path } } });
}

async function sourceOf(namespace: string, name: string): Promise<string | undefined> {
  return (await read(namespace, name))?.spec.source.path;
}

async function expectSource(namespace: string, name: string, path: string): Promise<void> {
  await expect.poll(() => sourceOf(namespace, name), patience).toBe(path);
}

/** In the cluster, until the hub shows it. */
async function setHealth({ there, onHub }: ArgoCluster, name: string, status: string): Promise<void> {
  const part = { status: { health: { status } } };
  await patch(cluster, `${applicationsIn(there)}/${name}`, part);
  await expect.poll(() => read(onHub, name), patience).toMatchObject(part);
}

async function read(namespace: string, name: string): Promise<SeenApplication | undefined> {
  const { status, text } = await cluster.api.send({ path: `${applicationsIn(namespace)}/${name}` });
  return status === 200 ? JSON.parse(text) : undefined;
}

interface SeenApplication {
  readonly spec: { readonly source: { readonly path: string } };
}
