// Against an API server that others use as well: each test has a namespace of its own.
import { waitUntil } from "@fairlead/kernel/testing";
import { type ClusterAccess, createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadKubeconfig } from "../access/kubeconfig.ts";
import { createKubeClient, type KubeClient } from "../client/client.ts";
import { createKubePool } from "../client/pool.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { getObject } from "../read/get-object.ts";
import { listObjects } from "../read/list.ts";
import { configMaps, createBeliever, startReflector } from "./reflector.fixture.ts";

let cluster: ClusterAccess;
let client: KubeClient;
let namespace: TestNamespace;

beforeAll(async () => {
  cluster = await sharedCluster();
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
});
afterAll(() => client?.[Symbol.asyncDispose]());
beforeEach(async () => {
  namespace = await createNamespace(cluster);
});

describe.each([
  ["a list as a watch", true],
  ["a paged list", false],
])("with %s, a reflector", (_name, isStreaming) => {
  it("knows what is there, follows what changes and forgets what is deleted", async () => {
    await create("a", { labels: { app: "x" } });
    await create("b");
    // The cluster makes this one in every namespace, in its own time.
    const path = `/api/v1/namespaces/${namespace.name}/configmaps/kube-root-ca.crt`;
    expect(await waitUntil(async () => (await cluster.api.send({ path })).status === 200, patient)).toBe(true);
    await using reflector = startReflector({ client, resource: configMaps, namespace: namespace.name, isStreaming });
    const { believer } = reflector;
    expect(await waitUntil(() => believer.state() === "live", patient)).toBe(true);
    expect(believer.names()).toEqual(["a", "b", "kube-root-ca.crt"]);
    expect(believer.changes).toEqual([]);

    await create("c", { data: { key: "1" } });
    await cluster.kubectl(["-n", namespace.name, "label", "configmap", "a", "app=y", "--overwrite"]);
    await cluster.kubectl(["-n", namespace.name, "delete", "configmap", "b"]);
    expect(await waitUntil(() => believer.names().join() === "a,c,kube-root-ca.crt", patient)).toBe(true);
    expect(await waitUntil(() => find(believer.objects, "a")?.metadata.labels?.["app"] === "y", patient)).toBe(true);
    expect(find(believer.objects, "c")).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "1" } });
    expect(believer.lists).toHaveLength(1);
  });

  it("gives an object with the same fields in the same order as a look at it alone", async () => {
    await create("a", { data: { key: "1" }, labels: { app: "x" } });
    await using reflector = startReflector({ client, resource: configMaps, namespace: namespace.name, isStreaming });
    const { believer } = reflector;
    expect(await waitUntil(() => believer.state() === "live", patient)).toBe(true);
    const alone = await getObject({ client, resource: configMaps, namespace: namespace.name, name: "a" });
    expect(JSON.stringify(find(believer.objects, "a"))).toBe(JSON.stringify(alone));
    await cluster.kubectl(["-n", namespace.name, "label", "configmap", "a", "app=y", "--overwrite"]);
    expect(await waitUntil(() => believer.changes.length === 1, patient)).toBe(true);
    const changed = await getObject({ client, resource: configMaps, namespace: namespace.name, name: "a" });
    expect(JSON.stringify(believer.changes[0]?.object)).toBe(JSON.stringify(changed));
  });

  it("keeps to its selectors, and takes what leaves them for deleted", async () => {
    await create("in", { labels: { app: "x" } });
    await create("out", { labels: { app: "y" } });
    await using reflector = startReflector({
      client,
      resource: configMaps,
      namespace: namespace.name,
      labelSelector: "app in (x)",
      fieldSelector: "metadata.name!=never",
      isStreaming,
    });
    const { believer } = reflector;
    expect(await waitUntil(() => believer.state() === "live", patient)).toBe(true);
    expect(believer.names()).toEqual(["in"]);
    await cluster.kubectl(["-n", namespace.name, "label", "configmap", "in", "app=z", "--overwrite"]);
    expect(await waitUntil(() => believer.names().length === 0, patient)).toBe(true);
    expect(believer.changes.map(({ type }) => type)).toEqual(["deleted"]);
  });

  it("goes on where it was when the API server ends the watch, without another list", async () => {
    await using reflector = startReflector({
      client,
      resource: configMaps,
      namespace: namespace.name,
      watchTimeoutSeconds: 2,
      isStreaming,
    });
    const { believer } = reflector;
    for (let number = 0; number < 12; number++) {
      await create(`made-${number}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(await waitUntil(() => believer.objects.size === 13, patient)).toBe(true);
    expect(believer.changes.filter(({ type }) => type === "deleted")).toEqual([]);
    expect(believer.lists).toHaveLength(1);
    expect(believer.code()).toBeUndefined();
  });

  it("knows an object of a megabyte", async () => {
    await create("before", { data: { text: "x".repeat(800_000), "more.bin": `"\\<é`.repeat(40_000) } });
    await using reflector = startReflector({ client, resource: configMaps, namespace: namespace.name, isStreaming });
    const { believer } = reflector;
    expect(await waitUntil(() => believer.state() === "live", patient)).toBe(true);
    await create("after", { data: { text: "y".repeat(800_000), "more.bin": `"\\<é`.repeat(40_000) } });
    expect(await waitUntil(() => believer.objects.size === 3, patient)).toBe(true);
    for (const name of ["before", "after"]) {
      expect(find(believer.objects, name)?.["data"]).toMatchObject({ "more.bin": `"\\<é`.repeat(40_000) });
    }
  });
});

it("takes no more from the API server than its handler takes from it", async () => {
  for (const name of ["a", "b", "c"]) await create(name);
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const believer = createBeliever(() => gate);
  await using _reflector = startReflector({ client, resource: configMaps, namespace: namespace.name, believer });
  expect(await waitUntil(() => believer.objects.size === 1, patient)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(believer.objects.size).toBe(1);
  release();
  expect(await waitUntil(() => believer.objects.size === 4 && believer.state() === "live", patient)).toBe(true);
});

it("counts a kind as alive in which nothing happens, be it one without bookmarks", async () => {
  const { access } = client;
  await using pool = createKubePool({ access, liveness: { intervalMs: 200 } });
  await using lively = createKubeClient({ access, pool });
  const events = { ...configMaps, resource: "events", kind: "Event" };
  await using quiet = startReflector({ client: lively, resource: events, namespace: namespace.name });
  expect(await waitUntil(() => quiet.believer.state() === "live", patient)).toBe(true);
  const before = quiet.believer.alive;
  expect(await waitUntil(() => quiet.believer.alive > before + 2, patient)).toBe(true);
  expect(quiet.believer.changes).toEqual([]);
});

it("ends with the error of its handler", async () => {
  const believer = createBeliever(() => {
    throw new Error("no more");
  });
  const reflector = startReflector({ client, resource: configMaps, namespace: namespace.name, believer });
  await expect(reflector.done).rejects.toThrow("no more");
});

describe("looking again", () => {
  it("finds one object, or that it isn't there", async () => {
    await create("a", { data: { key: "1" } });
    const at = { client, resource: configMaps, namespace: namespace.name };
    expect(await getObject({ ...at, name: "a" })).toMatchObject({ kind: "ConfigMap", data: { key: "1" } });
    expect(await getObject({ ...at, name: "b" })).toBeUndefined();
  });

  it("doesn't take a kind that isn't there for an object that isn't", async () => {
    for (const group of ["", "no.such.group"]) {
      const resource = { ...configMaps, group, resource: "nothings" };
      await expect(getObject({ client, resource, namespace: "default", name: "a" })).rejects.toMatchObject({
        code: "KUBE_NOT_FOUND",
      });
    }
  });

  it("goes through all of a kind page by page", async () => {
    for (const name of ["a", "b", "c", "d"]) await create(name);
    const pages: string[][] = [];
    const { signal } = new AbortController();
    for await (const page of listObjects({
      client,
      resource: configMaps,
      namespace: namespace.name,
      pageSize: 2,
      signal,
    })) {
      pages.push(page.map(({ metadata }) => metadata.name));
    }
    expect(pages).toEqual([["a", "b"], ["c", "d"], ["kube-root-ca.crt"]]);
  });
});

async function create(name: string, content: { data?: object; labels?: object } = {}): Promise<void> {
  const { data, labels } = content;
  await cluster.api.json({
    method: "POST",
    path: `/api/v1/namespaces/${namespace.name}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(labels && { labels }) }, ...(data && { data }) },
  });
}

function find(objects: ReadonlyMap<string, KubeObject>, name: string): KubeObject | undefined {
  return [...objects.values()].find(({ metadata }) => metadata.name === name);
}

const patient = { timeoutMs: 60_000 };
