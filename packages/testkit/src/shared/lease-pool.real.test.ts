import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyObjects, openCluster, prepareNodes, type TestCluster } from "../cluster/index.ts";
import { type LeasePool, openLeasePool } from "./lease-pool.ts";

let pool: LeasePool;

beforeAll(() => {
  pool = openLeasePool({ mostIdle: 1 });
});

afterAll(async () => {
  await pool?.[Symbol.asyncDispose]();
});

const crd = (scope: "Namespaced" | "Cluster") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    scope,
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "meddler" };

/** Leaves behind objects and changes such as test files make. */
async function meddle(cluster: TestCluster): Promise<void> {
  const { api } = cluster;
  await prepareNodes({ api, clusterName: "meddled", count: 1 });
  await applyObjects(api, [
    crd("Namespaced"),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "left" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "meddler" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "meddler" },
      roleRef,
      subjects: [{ kind: "User", name: "mallory", apiGroup: "rbac.authorization.k8s.io" }],
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "left" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" }, finalizers: ["example.com/never"] },
          spec: { containers: [{ name: "web", image: "web" }] },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "kept", namespace: "default", finalizers: ["example.com/never"] } as { name: string },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "left" },
      spec: { clusterIP: "10.0.0.77", ports: [{ port: 80 }], selector: { app: "web" } },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1.nowhere.example.com" },
      spec: {
        group: "nowhere.example.com",
        version: "v1",
        service: { name: "web", namespace: "left" },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 1000,
        versionPriority: 15,
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "refuses" },
      webhooks: [
        {
          name: "refuses.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Fail",
          clientConfig: { service: { name: "web", namespace: "left" } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] }],
        },
      ],
    },
  ]);
  const gadgets = "/apis/example.com/v1/namespaces/left/gadgets";
  const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "one" } };
  await expect.poll(async () => (await api.send({ method: "POST", path: gadgets, body: gadget })).status).toBe(201);
  const pods = "/api/v1/namespaces/left/pods?fieldSelector=status.phase%3DRunning";
  await expect.poll(async () => (await api.json<{ items: unknown[] }>({ path: pods })).items.length).toBe(3);
  // A namespace that its finalizers keep, a role of Kubernetes' own that is less, and one that is gone.
  await api.json({ method: "DELETE", path: "/api/v1/namespaces/left" });
  await api.json({ method: "DELETE", path: "/api/v1/namespaces/default/configmaps/kept" });
  await api.json({ method: "DELETE", path: `${roles}/system:node-problem-detector` });
  await api.json({
    method: "PATCH",
    path: `${roles}/view`,
    contentType: "application/merge-patch+json",
    body: { metadata: { labels: { meddled: "yes" } } },
  });
  await cluster.writeLog({ namespace: "left", pod: "web", container: "web", text: "a line\n" });
  await cluster.kubectl(["get", "gadgets", "-n", "left"]);
}

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

describe("a leased cluster that is given back", () => {
  test("has nothing of the file that had it, and all that it had before, and knows its kinds anew", async () => {
    const first = await pool.take("first");
    const before = await describeCluster(first);
    await meddle(first);
    await pool.giveBack(first);
    const second = await pool.take("second");
    expect(second.stateDir).toBe(first.stateDir);
    expect(await describeCluster(second)).toEqual(before);
    const { name, adminKubeconfig, api } = await openCluster(second.stateDir);
    using _ = api;
    expect(name).toBe("second");
    expect((await second.kubectl(["config", "current-context"], { kubeconfig: adminKubeconfig })).stdout).toBe(
      "second\n",
    );
    expect(existsSync(join(second.stateDir, "kubectl-cache", "discovery"))).toBe(false);
    expect(await readdir(join(second.stateDir, "pods"))).toEqual([]);

    // The webhook would refuse this, the role would allow that, and the address would be in use.
    const create = (path: string, body: object) => second.api.send({ method: "POST", path, body });
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "left" } };
    expect((await create("/api/v1/namespaces", namespace)).status).toBe(201);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    expect((await create("/api/v1/namespaces/left/secrets", secret)).status).toBe(201);
    const clusterIP = "10.0.0.77";
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "w" },
      spec: { clusterIP, ports: [{ port: 80 }] },
    };
    expect((await create("/api/v1/namespaces/left/services", service)).status).toBe(201);
    const mallory = await second.kubeconfigForUser({ user: "mallory" });
    const asked = await second.kubectl(["auth", "can-i", "*", "*"], { kubeconfig: mallory, allowFailure: true });
    expect(asked.stdout).toBe("no\n");

    // A kind of the same name may be another one now.
    await applyObjects(second.api, [crd("Cluster")]);
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "one" } };
    await expect.poll(async () => (await create("/apis/example.com/v1/gadgets", gadget)).status).toBe(201);
    await pool.giveBack(second);
  });

  test("runs pods again, also when parts of it had been stopped and it had stood still", async () => {
    const first = await pool.take("first");
    await first.components["kube-controller-manager"].stop();
    first.components.kwok.pause();
    await first.apiServer.stop({ graceMs: 0 });
    await pool.giveBack(first);
    const second = await pool.take("second");
    expect(second.stateDir).toBe(first.stateDir);
    await meddle(second);
    await pool.giveBack(second);
  });

  test("is thrown away when it is another cluster by now, or answers no more", async () => {
    const [replaced, broken] = await Promise.all([pool.take("replaced"), pool.take("broken")]);
    expect(replaced.stateDir).not.toBe(broken.stateDir);
    const path = "/api/v1/namespaces/kube-system";
    type System = { metadata: { name: string; uid: string } };
    const system = await replaced.api.json<System>({ path });
    const metadata = { ...system.metadata, uid: "another" };
    await replaced.putObjects("namespaces", [{ apiVersion: "v1", kind: "Namespace", ...system, metadata }]);
    await expect.poll(async () => (await replaced.api.json<System>({ path })).metadata.uid).toBe("another");
    await broken.apiServer.stop({ graceMs: 0 });
    await rm(join(broken.stateDir, "pki", "apiserver.crt"));
    await Promise.all([pool.giveBack(replaced), pool.giveBack(broken)]);
    expect([existsSync(replaced.stateDir), existsSync(broken.stateDir)]).toEqual([false, false]);
  });
});

/** What a test file finds in it: all objects with their uids, what is served, and who may what. */
async function describeCluster({ api }: TestCluster): Promise<object> {
  const read = async (path: string) => {
    const { items } = await api.json<{ items: { metadata: { name: string; namespace?: string; uid: string } }[] }>({
      path,
    });
    return items.map(({ metadata: { name, namespace, uid } }) => [namespace, name, uid]).sort();
  };
  const kinds = [
    "/api/v1/namespaces",
    "/api/v1/nodes",
    "/api/v1/pods",
    "/api/v1/configmaps",
    "/api/v1/secrets",
    "/api/v1/services",
    "/api/v1/serviceaccounts",
    "/api/v1/events",
    roles,
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/replicasets",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  ];
  const { paths } = await api.json<{ paths: object }>({ path: "/openapi/v3" });
  const view = await api.json<{ metadata: { labels: object } }>({ path: `${roles}/view` });
  return {
    objects: Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await read(kind)]))),
    groups: (await api.json<{ groups: { name: string }[] }>({ path: "/apis" })).groups.map(({ name }) => name).sort(),
    openApi: Object.keys(paths).sort(),
    viewLabels: view.metadata.labels,
  };
}
