// Faults between a reflector and a real API server. After each fault both know the same, object for object.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { createNamespace, startCable, startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadKubeconfig } from "../access/kubeconfig.ts";
import { createKubeClient, type KubeClient } from "../client/client.ts";
import { createKubePool } from "../client/pool.ts";
import { discoverApis } from "../discovery/discovery.ts";
import { discoverOneByOne } from "../discovery/legacy.ts";
import type { ApiResource } from "../objects/api-resource.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { listObjects } from "../read/list.ts";
import { type Believer, configMaps, createBeliever, startReflector } from "./reflector.fixture.ts";
import { createWidget, installWidgets, removeWidgets, widgets } from "./widgets.fixture.ts";

const secrets: ApiResource = { ...configMaps, resource: "secrets", kind: "Secret" };

let cluster: TestCluster;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  cluster = await startCluster({
    name: "reflector",
    extraArgs: {
      "kube-apiserver": [
        "--etcd-compaction-interval=2s",
        // Their watches come straight from etcd, without a cache that remembers what etcd compacted.
        "--watch-cache-sizes=secrets#0",
      ],
    },
  });
  client = await openClient(cluster.adminKubeconfig);
}, 600_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  namespace = (await createNamespace(cluster)).name;
});

it("lists anew what etcd compacted while the watch was cut, and misses neither a change nor a delete", async () => {
  await using cable = await startCable({ to: { port: Number(new URL(cluster.url).port) } });
  const url = `https://127.0.0.1:${cable.port}`;
  const root = { user: "root", groups: ["system:masters"] };
  await using through = await openClient(await cluster.kubeconfigForUser({ ...root, url }));
  await create("secrets", "kept");
  await create("secrets", "removed");
  await using reflector = startReflector({ client: through, resource: secrets, namespace });
  const { believer } = reflector;
  await expectEventually(() => believer.state() === "live" && believer.names().join() === "kept,removed");

  cable.cut();
  await expectEventually(() => believer.state() === "failing");
  await create("secrets", "added");
  await cluster.kubectl(["-n", namespace, "label", "secret", "kept", "changed=yes"]);
  await cluster.kubectl(["-n", namespace, "delete", "secret", "removed"]);
  const resourceVersion = believer.lists.at(-1);
  const isForgotten = async () => {
    const path = `/api/v1/namespaces/${namespace}/secrets?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
    const { status, text } = await cluster.api.send({ path });
    return status === 410 || text.includes('"code":410');
  };
  expect(await waitUntil(isForgotten, { timeoutMs: 60_000, intervalMs: 1000 })).toBe(true);
  cable.heal();
  await expectEventually(() => believer.lists.length > 1 && believer.state() === "live");
  expect(believer.names()).toEqual(["added", "kept"]);
  await expectEqual(believer, secrets);
});

describe("a list so slow that the API server forgets its moment", () => {
  const slowMs = 100;
  const names = Array.from({ length: 60 }, (_, index) => `some-${String(index).padStart(2, "0")}`);

  it("begins anew and is whole in the end, when what is known already takes no time", async () => {
    await Promise.all(names.map((name) => create("secrets", name)));
    const known = new Set<string>();
    const believer = createBeliever(({ metadata }) => {
      if (known.has(metadata.uid)) return;
      known.add(metadata.uid);
      return pause(slowMs);
    });
    const common = { client, resource: secrets, namespace, isStreaming: false };
    await using _reflector = startReflector({ ...common, pageSize: 5, believer });
    let starts = 0;
    const { onListStart } = believer;
    believer.onListStart = () => {
      starts++;
      onListStart();
    };
    await expectEventually(() => known.size === names.length && believer.alive > 1 && believer.state() === "live");
    expect(starts).toBeGreaterThan(1);
    await expectEqual(believer, secrets);
  });

  it("is gone on with where nobody needs one moment", async () => {
    await Promise.all(names.map((name) => create("secrets", name)));
    const found: string[] = [];
    const { signal } = new AbortController();
    for await (const page of listObjects({ client, resource: secrets, namespace, pageSize: 5, signal })) {
      found.push(...page.map(({ metadata }) => metadata.name));
      await pause(5 * slowMs);
    }
    expect(found).toEqual(names);
  });
});

it("survives an API server that is killed and comes back later", async () => {
  await create("configmaps", "kept");
  await create("configmaps", "removed");
  await using reflector = startReflector({ client, resource: configMaps });
  const { believer } = reflector;
  await expectEventually(() => believer.state() === "live");
  await cluster.apiServer.stop({ graceMs: 0 });
  await expectEventually(() => believer.state() === "failing");
  expect(believer.code()).toBe("KUBE_UNREACHABLE");
  const known = believer.objects.size;
  await cluster.apiServer.start();
  await cluster.kubectl(["-n", namespace, "delete", "configmap", "removed"]);
  await create("configmaps", "added");
  await expectEventually(() => believer.state() === "live" && believer.names().includes("added"));
  expect(believer.names()).not.toContain("removed");
  expect(believer.objects.size).toBe(known);
  await expectEqual(believer, configMaps);
});

it("notices an API server that is frozen, and what changed when it goes on", async () => {
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  const pool = createKubePool({ access, liveness: { intervalMs: 500, timeoutMs: 1000 } });
  await using quick = createKubeClient({ access, pool });
  await using reflector = startReflector({ client: quick, resource: configMaps, namespace });
  const { believer } = reflector;
  await expectEventually(() => believer.state() === "live");
  cluster.apiServer.pause();
  try {
    await expectEventually(() => believer.state() === "failing");
  } finally {
    cluster.apiServer.resume();
  }
  await create("configmaps", "after");
  await expectEventually(() => believer.state() === "live" && believer.names().includes("after"));
  await pool[Symbol.asyncDispose]();
});

it("notices a watch that is dead while the API server still answers others", async () => {
  await using cable = await startCable({ to: { port: Number(new URL(cluster.url).port) } });
  const url = `https://127.0.0.1:${cable.port}`;
  const root = { user: "root", groups: ["system:masters"] };
  const access = await loadKubeconfig({ path: await cluster.kubeconfigForUser({ ...root, url }) });
  // Looks after its connections so seldom that only the silence tells.
  const pool = createKubePool({ access, liveness: { intervalMs: 600_000 }, connectTimeoutMs: 1000 });
  await using patient = createKubeClient({ access, pool });
  await using reflector = startReflector({ client: patient, resource: configMaps, namespace, silentMs: 3000 });
  const { believer } = reflector;
  await expectEventually(() => believer.state() === "live");
  cable.blackhole();
  await create("configmaps", "unseen");
  await expectEventually(() => believer.state() === "failing");
  expect(believer.names()).not.toContain("unseen");
  cable.heal();
  await expectEventually(() => believer.state() === "live" && believer.names().includes("unseen"));
  await pool[Symbol.asyncDispose]();
});

it("tells of rights that are withdrawn for one kind, keeps what it knew, and goes on when they are given back", async () => {
  await cluster.kubectl(["-n", namespace, "create", "role", "r", "--verb=get,list,watch", "--resource=configmaps"]);
  await cluster.kubectl(["-n", namespace, "create", "role", "s", "--verb=get,list,watch", "--resource=secrets"]);
  const bind = (name: string) =>
    cluster.kubectl(["-n", namespace, "create", "rolebinding", name, `--role=${name}`, "--user=reader"]);
  await bind("r");
  await bind("s");
  await create("configmaps", "a");
  await using reader = await openClient(await cluster.kubeconfigForUser({ user: "reader" }));
  const common = { client: reader, namespace, watchTimeoutSeconds: 2 };
  await using withdrawn = startReflector({ ...common, resource: configMaps });
  await using other = startReflector({ ...common, resource: secrets });
  await expectEventually(() => withdrawn.believer.state() === "live" && other.believer.state() === "live");

  await cluster.kubectl(["-n", namespace, "delete", "rolebinding", "r"]);
  await expectEventually(() => withdrawn.believer.code() === "KUBE_FORBIDDEN");
  expect(withdrawn.believer.names()).toEqual(["a", "kube-root-ca.crt"]);
  await create("secrets", "goes-on");
  await create("configmaps", "unseen");
  await expectEventually(() => other.believer.names().includes("goes-on"));
  expect(other.believer.code()).toBeUndefined();
  expect(withdrawn.believer.names()).not.toContain("unseen");

  await bind("r");
  await expectEventually(() => withdrawn.believer.state() === "live" && withdrawn.believer.names().includes("unseen"));
  await expectEqual(withdrawn.believer, configMaps);
});

describe("a custom resource", () => {
  it("is found when it comes, missed when it goes, and listed anew when it is back", async () => {
    await using reflector = startReflector({ client, resource: widgets, namespace: "default" });
    const { believer } = reflector;
    await expectEventually(() => believer.code() === "KUBE_NOT_FOUND");
    expect(believer.lists).toEqual([]);
    expect(await hasWidgets()).toBe(false);

    await installWidgets(cluster);
    await createWidget(cluster, "first");
    await expectEventually(() => believer.state() === "live" && believer.names().join() === "first");
    await expectEventually(hasWidgets);

    await removeWidgets(cluster);
    await expectEventually(() => believer.state() === "failing");
    expect(believer.code()).toBe("KUBE_NOT_FOUND");
    await expectEventually(async () => !(await hasWidgets()));

    await installWidgets(cluster);
    await createWidget(cluster, "second");
    await expectEventually(() => believer.state() === "live" && believer.names().join() === "second");
  });

  it("may have an object of 1.5 MB", async () => {
    if (!(await hasWidgets())) await installWidgets(cluster);
    const text = `"\\<é\n`.repeat(105_000);
    await createWidget(cluster, "before", { text });
    for (const isStreaming of [true, false]) {
      await using reflector = startReflector({ client, resource: widgets, namespace: "default", isStreaming });
      const { believer } = reflector;
      await expectEventually(() => believer.state() === "live");
      const name = `after-${isStreaming}`;
      await createWidget(cluster, name, { text });
      await expectEventually(() => believer.names().includes(name));
      const specs = [...believer.objects.values()].map((object) => object["spec"] as { text?: string });
      expect(specs.filter((spec) => spec.text === text).length).toBeGreaterThan(1);
    }
  });

  async function hasWidgets(): Promise<boolean> {
    const { resources } = await discoverApis({ client });
    const found = resources.filter(({ group }) => group === widgets.group);
    // Discovery names only the preferred one of both versions.
    if (found.length > 0) expect(found).toMatchObject([{ resource: "widgets", version: "v1", shortNames: ["wd"] }]);
    return found.length > 0;
  }
});

it("knows the truth after any number of cuts, silences and changes, however slow its handler is", async () => {
  await using cable = await startCable({ to: { port: Number(new URL(cluster.url).port) } });
  const url = `https://127.0.0.1:${cable.port}`;
  const path = await cluster.kubeconfigForUser({ user: "root", groups: ["system:masters"], url });
  const access = await loadKubeconfig({ path });
  await using pool = createKubePool({ access, liveness: { intervalMs: 300, timeoutMs: 500 }, connectTimeoutMs: 1000 });
  await using through = createKubeClient({ access, pool });
  const common = { client: through, resource: configMaps, namespace, watchTimeoutSeconds: 3, random: () => 0.05 };
  const slow = createBeliever(() => new Promise((resolve) => setTimeout(resolve, 5)));
  await using streamed = startReflector({ ...common, silentMs: 2000 });
  await using paged = startReflector({ ...common, silentMs: 2000, isStreaming: false, pageSize: 7 });
  await using _slow = startReflector({ ...common, silentMs: 2000, believer: slow });

  const until = Date.now() + 8_000;
  const change = async () => {
    while (Date.now() < until) {
      const at = `/api/v1/namespaces/${namespace}/configmaps`;
      const name = `some-${Math.floor(Math.random() * 100)}`;
      const body = { apiVersion: "v1", metadata: { name }, data: { random: String(Math.random()) } };
      const method = Math.random() < 0.3 ? "DELETE" : "PUT";
      const { status } = await cluster.api.send({ method, path: `${at}/${name}`, ...(method === "PUT" && { body }) });
      if (status === 404 && method === "PUT") await cluster.api.send({ method: "POST", path: at, body });
    }
  };
  const disturb = async () => {
    while (Date.now() < until) {
      if (Math.random() < 0.5) cable.cut();
      else cable.blackhole();
      await pause(Math.random() * 2000);
      cable.heal();
      await pause(Math.random() * 2000);
    }
  };
  await Promise.all([change(), change(), change(), disturb()]);
  for (const believer of [streamed.believer, paged.believer, slow]) {
    await expectEventually(() => believer.lists.length > 0);
    await expectEqual(believer, configMaps);
  }
});

it("hides no other API when the server of one is away", async () => {
  const version = { group: "away.fairlead.dev", version: "v1" };
  await cluster.kubectl(["-n", namespace, "create", "service", "externalname", "away", "--external-name=localhost"]);
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const name = `${version.version}.${version.group}`;
  const service = { namespace, name: "away", port: 1 };
  const spec = { ...version, service, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true };
  const body = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name }, spec };
  await cluster.api.json({ method: "POST", path, body });
  try {
    await expectEventually(async () => {
      const { resources, unavailable } = await discoverApis({ client });
      expect(resources.find(({ kind }) => kind === "Deployment")).toMatchObject({ group: "apps", version: "v1" });
      return unavailable.some(({ group }) => group === version.group);
    });
    const inOldWays = await discoverOneByOne({ client });
    expect(inOldWays.unavailable).toMatchObject([version]);
    const { resources } = await discoverApis({ client });
    const sorted = (all: readonly ApiResource[]) => all.map((resource) => JSON.stringify(resource)).sort();
    expect(sorted(inOldWays.resources)).toEqual(sorted(resources));
  } finally {
    await cluster.api.send({ method: "DELETE", path: `${path}/${name}` });
  }
});

// The last one: what else happened since the backup is gone after it.
it("follows a cluster that is restored from a backup", async () => {
  const { etcd } = cluster.components;
  const data = join(cluster.stateDir, "etcd");
  const backup = join(cluster.stateDir, "etcd-backup");
  await create("configmaps", "returns");
  await cluster.apiServer.stop({ graceMs: 0 });
  await etcd.stop();
  await cp(data, backup, { recursive: true });
  await etcd.start();
  await cluster.apiServer.start();

  await using reflector = startReflector({ client, resource: configMaps, namespace });
  const { believer } = reflector;
  await cluster.kubectl(["-n", namespace, "delete", "configmap", "returns"]);
  for (let number = 0; number < 300; number++) await create("configmaps", `lost-${number}`);
  await expectEventually(() => believer.names().includes("lost-299") && !believer.names().includes("returns"));

  await cluster.apiServer.stop({ graceMs: 0 });
  await etcd.stop();
  await rm(data, { recursive: true });
  await cp(backup, data, { recursive: true });
  await etcd.start();
  await cluster.apiServer.start();
  await expectEventually(() => believer.names().join() === "kube-root-ca.crt,returns");
  await create("configmaps", "new");
  await expectEventually(() => believer.names().includes("new"));
  await expectEqual(believer, configMaps);
});

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

async function openClient(path: string): Promise<KubeClient> {
  return createKubeClient({ access: await loadKubeconfig({ path }) });
}

async function create(resource: "configmaps" | "secrets", name: string): Promise<void> {
  await cluster.api.json({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/${resource}`,
    body: { apiVersion: "v1", metadata: { name } },
  });
}

/** Object for object, in the namespace of the test. */
async function expectEqual(believer: Believer, resource: ApiResource): Promise<void> {
  const sorted = (objects: readonly KubeObject[]) => objects.map((object) => JSON.stringify(object)).sort();
  await expectEventually(async () => {
    const truth: KubeObject[] = [];
    const { signal } = new AbortController();
    for await (const page of listObjects({ client, resource, namespace, signal })) truth.push(...page);
    const believed = [...believer.objects.values()].filter(({ metadata }) => metadata.namespace === namespace);
    return truth.length > 0 && sorted(truth).join("\n") === sorted(believed).join("\n");
  });
}

async function expectEventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  expect(await waitUntil(async () => condition(), { timeoutMs: 90_000, intervalMs: 100 })).toBe(true);
}
