// A kind is in trouble: its right taken away, its CRD removed, an object enormous. The others go on meanwhile.
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, create, pathOf, pod, widget } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let fleet: ObserveFleet;
beforeAll(async () => {
  fleet = await startObserveFleet();
  await create(fleet.cluster, pathOf("configmaps", fleet.namespace.name), configMap("here", { a: "1" }));
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("a kind whose right is taken away is unknown and keeps its objects, the rest goes on, and it heals", async () => {
  const { cluster, namespace, widgets } = fleet;
  const maps = pathOf("configmaps", namespace.name);
  const giveBack = await withdraw("configmaps");
  // The API server asks for rights when a watch begins, and watches go on.
  fleet.apiCable.cut();
  fleet.apiCable.heal();
  const { age } = await fleet.waitForInventory((now) => troubleOf(now.age, "configmaps") !== undefined);
  expect(troubleOf(age, "configmaps")).toMatchObject({ state: "unavailable", code: "KUBE_FORBIDDEN" });
  expect(age.state).toBe("connected");
  await create(cluster, maps, configMap("meanwhile", { a: "1" }));
  await create(cluster, pathOf("pods", namespace.name), pod("meanwhile"));
  await compareWithApiServer(fleet, { namespace: namespace.name, kinds: ["pods", widgets.kind] });
  const shown = await fleet.list({ kind: "configmaps", namespace: namespace.name });
  expect(shown.map(({ name }) => name).sort()).toEqual(["here", "kube-root-ca.crt"]);

  await giveBack();
  await compareWithApiServer(fleet, { namespace: namespace.name, timeoutMs: 120_000 });
  expect(troubleOf((await fleet.inventory()).age, "configmaps")).toBeUndefined();
});

test("a CRD that is removed takes its objects with it, and one that comes again brings new ones", async () => {
  const { cluster, namespace, widgets } = fleet;
  const path = widgets.path(namespace.name);
  await create(cluster, path, widget(widgets.apiVersion, "old", { size: 1 }));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  await widgets.remove();
  await fleet.waitForInventory(({ kinds }) => kinds.every(({ kind }) => kind !== widgets.kind));
  await create(cluster, pathOf("pods", namespace.name), pod("without-widgets"));
  await compareWithApiServer(fleet, { namespace: namespace.name, kinds: ["pods", "configmaps"] });

  await widgets.install();
  await create(cluster, path, widget(widgets.apiVersion, "new", { size: 2 }));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  const shown = await fleet.list({ kind: widgets.kind });
  expect(shown.map(({ name }) => name)).toEqual(["new"]);
});

test("an object of 1.5 MB arrives cut and marked, and the others as they are", async () => {
  const { cluster, namespace, widgets } = fleet;
  const path = widgets.path(namespace.name);
  const large = { size: 3, text: "x".repeat(1_500_000) };
  await create(cluster, path, widget(widgets.apiVersion, "large", large));
  await create(cluster, path, widget(widgets.apiVersion, "small", { size: 4 }));
  const find = async (name: string) => (await fleet.list({ kind: widgets.kind, name }))[0];
  await expect.poll(() => find("small")).toMatchObject({ object: { spec: { size: 4 } } });
  await expect.poll(() => find("large")).toMatchObject({ isCut: true });
  const item = await find("large");
  expect(item?.object).toMatchObject({
    metadata: { name: "large", annotations: { "fairlead.dev/cut": "spec.text" } },
    spec: { size: 3 },
  });
  expect(JSON.stringify(item).length).toBeLessThan(256 * 1024);
  expect((await find("small"))?.isCut).not.toBe(true);
});

interface Age {
  readonly troubles?:
    | readonly { readonly kind: string; readonly state: string; readonly code?: string | undefined }[]
    | undefined;
}

function troubleOf({ troubles = [] }: Age, wanted: string): object | undefined {
  return troubles.find(({ kind }) => kind === wanted);
}

/** Takes a resource out of the agent's ClusterRole; returns the way to give it back. */
async function withdraw(resource: string): Promise<() => Promise<void>> {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${fleet.agentNamespace}-observe`;
  const role = await fleet.cluster.api.json<{ rules: { resources: string[] }[] }>({ path });
  const put = async (rules: readonly object[]): Promise<void> => {
    const contentType = "application/merge-patch+json";
    await fleet.cluster.api.json({ method: "PATCH", path, body: { rules }, contentType });
  };
  await put(role.rules.filter(({ resources }) => !resources.includes(resource)));
  return () => put(role.rules);
}
