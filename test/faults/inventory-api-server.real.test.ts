// An API server dies, freezes, forgets its past and goes back in time, and the live picture bears it.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, create, doInParallel, patch, pathOf, pod, remove, widget } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let cluster: LeasedCluster;
let fleet: ObserveFleet;
beforeAll(async () => {
  cluster = await leaseCluster({ name: "shaky" });
  fleet = await startObserveFleet({ cluster });
  await fill("first");
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("an API server that is killed and started again is followed on, and nothing is missed", async () => {
  await compareWithApiServer(fleet);
  await cluster.apiServer.stop({ graceMs: 0 });
  await delay(1_000);
  await cluster.apiServer.start();
  await fill("after-kill");
  await compareWithApiServer(fleet);
});

test("while an API server is frozen the copy's age grows, the cluster becomes stale, and both heal", {
  timeout: 300_000,
}, async () => {
  await fleet.waitForSync();
  expect((await fleet.inventory()).age.ageMs).toBeLessThan(30_000);
  await cluster.apiServer.pause();
  const pausedMs = performance.now();
  try {
    const { age } = await fleet.waitForInventory(({ age: now }) => now.state === "stale", 120_000);
    // Nothing that it says is younger than the freeze, and little is older.
    expect(age.ageMs).toBeGreaterThan(performance.now() - pausedMs - 5_000);
    expect(age.ageMs).toBeLessThan(performance.now() - pausedMs + 30_000);
  } finally {
    await cluster.apiServer.resume();
  }
  await waitUntil(() => isAnswered(), { timeoutMs: 60_000 });
  await fill("after-freeze");
  const { age } = await fleet.waitForInventory((now) => now.age.state === "connected");
  expect(age.ageMs).toBeLessThan(60_000);
  await compareWithApiServer(fleet);
});

/** Connections that were open while it was frozen may be of no use any more. */
function isAnswered(): Promise<boolean> {
  return cluster.api.send({ path: "/readyz" }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function fill(prefix: string): Promise<void> {
  const { name } = fleet.namespace;
  const maps = pathOf("configmaps", name);
  const names = Array.from({ length: 50 }, (_, index) => `${prefix}-${index}`);
  await doInParallel(names, (each) => create(cluster, maps, configMap(each, { a: "1" })));
  await doInParallel(names.slice(0, 20), (each) => patch(cluster, `${maps}/${each}`, { data: { a: "2" } }));
  await doInParallel(names.slice(40), (each) => remove(cluster, `${maps}/${each}`));
  await create(cluster, pathOf("pods", name), pod(prefix));
  await create(cluster, fleet.widgets.path(name), widget(fleet.widgets.apiVersion, prefix, { size: 1 }));
}
