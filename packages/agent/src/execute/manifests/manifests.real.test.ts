// Sets of manifests on a real API server.
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type ClusterAccess, createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { planManifests } from "./plan.ts";
import { runManifests } from "./run.ts";
import { createTask, type TaskOptions, type TestTask, type Told, tellResult } from "./task.fixture.ts";

let cluster: ClusterAccess;
let kube: KubeClient;
let namespace: TestNamespace;

beforeAll(async () => {
  cluster = await sharedCluster();
  kube = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
});
beforeEach(async () => {
  namespace = await createNamespace(cluster, "manifests");
});
afterEach(async () => {
  await namespace[Symbol.asyncDispose]();
});
afterAll(async () => {
  await kube?.[Symbol.asyncDispose]();
});

test("a set is made, found unchanged, changed, and pruned, by what it had before", async () => {
  const first = await apply({ manifests: [configMap("a", { v: "1" }), configMap("b"), configMap("c")] });
  expect(first).toMatchObject({
    failure: undefined,
    deeds: ["ConfigMap a: created", "ConfigMap b: created", "ConfigMap c: created"],
  });
  const again = await apply({ manifests: [configMap("a", { v: "1" }), configMap("b"), configMap("c")] });
  expect(again.deeds).toEqual(["ConfigMap a: unchanged", "ConfigMap b: unchanged", "ConfigMap c: unchanged"]);

  const left = await apply({ manifests: [configMap("a", { v: "2" })] });
  expect(left.deeds).toEqual(["ConfigMap a: changed", "ConfigMap b: kept", "ConfigMap c: kept"]);
  const pruned = await apply({ manifests: [configMap("a", { v: "2" })], prune: true });
  expect(pruned.deeds).toEqual(["ConfigMap a: unchanged", "ConfigMap b: deleted", "ConfigMap c: deleted"]);
  expect(await names()).toEqual(["a", "fairlead-set-web"]);

  const empty = await apply({ manifests: [], prune: true, allowEmpty: true });
  expect(empty.deeds).toEqual(["ConfigMap a: deleted"]);
  expect(await names()).toEqual([]);
});

/** Applies the set `web`. */
async function apply(options: Applied): Promise<Told> {
  return tellResult(await runManifests(taskOf(options)));
}

async function plan(options: Applied): Promise<Told> {
  return tellResult(await planManifests(taskOf(options)));
}

interface Applied extends Omit<TaskOptions, "kube" | "spec"> {
  readonly manifests: readonly object[] | string;
  readonly [member: string]: unknown;
}

function taskOf({ manifests, record, secrets, beforeEffect, kube: given, ...spec }: Applied): TestTask {
  const text =
    typeof manifests === "string" ? manifests : manifests.map((each) => JSON.stringify(each)).join("\n---\n");
  return createTask({
    ...{ kube: (given as KubeClient | undefined) ?? kube, record, secrets, beforeEffect },
    spec: { set: "web", namespace: namespace.name, manifests: text, ...spec },
  });
}

function configMap(name: string, data: object = {}, metadata: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** Of the ConfigMaps that there are. */
async function names(): Promise<string[]> {
  const { items } = await kube.request<{ items: { metadata: { name: string } }[] }>({ path: pathOf("configmaps") });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
}

function pathOf(resource: string, name?: string): string {
  return `/api/v1/namespaces/${namespace.name}/${resource}${name === undefined ? "" : `/${name}`}`;
}
