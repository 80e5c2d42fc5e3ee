// A cluster's history that is shorter than the agent remembers: etcd compacted it, or the cluster was restored from a
// backup and lives through some of it once more.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, create, patch, pathOf, pod, remove, widget } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let cluster: TestCluster;
let fleet: ObserveFleet;
let maps: string;
beforeAll(async () => {
  // Watches of config maps come straight from etcd, without a cache that remembers what etcd compacted.
  const extraArgs = { "kube-apiserver": ["--etcd-compaction-interval=2s", "--watch-cache-sizes=configmaps#0"] };
  cluster = await startCluster({ name: "forgetful", extraArgs });
  fleet = await startObserveFleet({ cluster });
  maps = pathOf("configmaps", fleet.namespace.name);
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

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

test("a cluster that is restored from a backup is shown as it is then, and followed on", {
  timeout: 300_000,
}, async () => {
  const { widgets, namespace } = fleet;
  const path = widgets.path(namespace.name);
  for (const name of ["before", "changed-after"]) await create(cluster, maps, configMap(name, { a: "1" }));
  await create(cluster, path, widget(widgets.apiVersion, "removed-after", { size: 1 }));
  await create(cluster, path, widget(widgets.apiVersion, "changed-after", { size: 1 }));
  const backup = join(cluster.stateDir, "etcd-backup");
  await whileStopped((folder) => cp(folder, backup, { recursive: true }));

  await patch(cluster, `${maps}/changed-after`, { data: { b: "2" } });
  await patch(cluster, `${path}/changed-after`, { spec: { size: 2 } });
  await remove(cluster, `${path}/removed-after`);
  for (let index = 0; index < 200; index++) await create(cluster, maps, configMap(`after-${index}`));
  await create(cluster, pathOf("pods", namespace.name), pod("after"));
  await compareWithApiServer(fleet);

  await whileStopped(async (folder) => {
    await rm(folder, { recursive: true });
    await cp(backup, folder, { recursive: true });
  });
  expect((await cluster.api.send({ path: `${maps}/after-0` })).status).toBe(404);
  await compareWithApiServer(fleet);
  // The same numbers as before the restore, for other changes.
  await patch(cluster, `${path}/changed-after`, { spec: { size: 3 } });
  for (let index = 0; index < 20; index++) await create(cluster, maps, configMap(`again-${index}`));
  await compareWithApiServer(fleet);
  const shown = await fleet.list({ kind: widgets.kind });
  expect(shown.map(({ name, object }) => [name, (object as { spec?: unknown }).spec])).toEqual([
    ["changed-after", { size: 3 }],
    ["removed-after", { size: 1 }],
  ]);
});

/** The API server first: one that loses its etcd hangs. */
async function whileStopped(run: (etcdFolder: string) => Promise<void>): Promise<void> {
  const { etcd } = cluster.components;
  await cluster.apiServer.stop();
  await etcd.stop();
  await run(join(cluster.stateDir, "etcd"));
  await etcd.start();
  await cluster.apiServer.start();
}
