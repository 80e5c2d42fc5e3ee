// An autonomous cluster through a hub, an agent and a cable between them. One API server has both sides: the cluster's Argo
// CD is meant to be in `edge-argo`, the hub's in `argocd`. The tests play Argo CD's controllers.
import {
  type JoinedCluster,
  joinCluster,
  prepareArgoCrds,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

const undo = new AsyncDisposableStack();
const there = "edge-argo";
const patience = { timeout: 30_000, interval: 50 };
const resources = "resources-finalizer.argocd.argoproj.io";
let cluster: TestCluster;
let hub: TestHub;
let joined: JoinedCluster;

beforeAll(async () => {
  cluster = undo.use(await startCluster({ name: "both", nodes: 0 }));
  await prepareArgoCrds(cluster);
  for (const name of [there, "edge-team", "edge", "argocd"])
    await cluster.api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  hub = undo.use(await startHub({ args: ["--argo-kubeconfig", cluster.adminKubeconfig] }));
  const places = ["--argo-namespace", there, "--argo-application-namespaces", "edge-team"];
  joined = undo.use(
    await joinCluster({
      ...{ hub, name: "edge", roles: ["gitops"], kubeconfig: cluster.adminKubeconfig },
      agentArgs: places,
    }),
  );
  await hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
}, 300_000);
afterAll(() => undo.disposeAsync());

describe("AgentAutonomous", () => {
  test("an application of the cluster is shown on the hub as it is, in the cluster's project and for the cluster, until it is gone", async () => {
    const metadata = { labels: { team: "a" }, annotations: { note: "x" }, finalizers: [resources] };
    await make("web", {
      metadata,
      spec: { destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
    });
    await expect
      .poll(() => mirror("web"), patience)
      .toMatchObject({
        metadata: { labels: { team: "a" }, annotations: { note: "x" }, finalizers: [resources] },
        spec: { project: "edge-default", destination: { name: "edge", namespace: "web" }, source: { path: "web" } },
      });
    expect((await mirror("web"))?.spec.destination).not.toHaveProperty("server");
    const child = { group: "argoproj.io", version: "v1alpha1", kind: "Application", namespace: there, name: "child" };
    await patch(there, "web", {
      status: { health: { status: "Healthy" }, resources: [child] },
      operation: { sync: {} },
    });
    await expect
      .poll(() => mirror("web"), patience)
      .toMatchObject({
        status: { health: { status: "Healthy" }, resources: [{ ...child, namespace: "edge" }] },
        operation: { sync: {} },
      });
    await patch(there, "web", { spec: { source: { path: "next" }, project: "shop" }, operation: null });
    await expect
      .poll(() => mirror("web"), patience)
      .toMatchObject({ spec: { source: { path: "next" }, project: "edge-shop" } });
    await expect.poll(() => mirror("web"), patience).not.toHaveProperty("operation");
    await patch(there, "web", { metadata: { finalizers: null } });
    await remove(there, "web");
    await expect.poll(() => mirror("web"), patience).toBeUndefined();
  });

  test("of two with one name in two namespaces of the cluster the hub shows the first, and the other when that is gone", async () => {
    await make("twin");
    await expect.poll(() => mirror("twin"), patience).toMatchObject({ spec: { source: { path: "twin" } } });
    await make("twin", {
      namespace: "edge-team",
      spec: { source: { repoURL: "https://git.example/a", path: "other" } },
    });
    await make("after-twin");
    await expect.poll(() => mirror("after-twin"), patience).toBeDefined();
    expect(await mirror("twin")).toMatchObject({ spec: { source: { path: "twin" } } });
    await remove(there, "twin");
    await expect.poll(() => mirror("twin"), patience).toMatchObject({ spec: { source: { path: "other" } } });
    await remove("edge-team", "twin");
  });

  test("an application that the hub has of its own stays, and isn't shown as the cluster's", async () => {
    await make("own", { namespace: "edge", spec: { project: "mine" } });
    await make("own");
    await make("after-own");
    await expect.poll(() => mirror("after-own"), patience).toBeDefined();
    expect(await mirror("own")).toMatchObject({ spec: { project: "mine" } });
    await remove(there, "own");
    await make("later");
    await expect.poll(() => mirror("later"), patience).toBeDefined();
    expect(await mirror("own")).toBeDefined();
    await remove("edge", "own");
  });
});

describe("AppProject", () => {
  test("Autonomous: a project is shown under the cluster's name, for that cluster alone, with its roles' rights over the mirrors", async () => {
    await makeProject("shop", {
      sourceRepos: ["*"],
      sourceNamespaces: ["*"],
      destinations: [{ server: "*", namespace: "shop" }],
    });
    await expect
      .poll(() => project("edge-shop"), patience)
      .toMatchObject({
        spec: {
          ...{ sourceRepos: ["*"], sourceNamespaces: ["edge"] },
          destinations: [{ name: "edge", server: "*", namespace: "shop" }],
        },
      });
    await patchProject(there, "shop", { spec: { description: "new", roles: [roleOf("shop", "sync")] } });
    await expect
      .poll(() => project("edge-shop"), patience)
      .toMatchObject({
        spec: { description: "new", roles: [{ name: "dev", policies: [policyOf("edge-shop", "sync", "edge/")] }] },
      });
    await removeProject(there, "shop");
    await expect.poll(() => project("edge-shop"), patience).toBeUndefined();
  });

  test("Autonomous_CreateWithProjectRole: a role that a project is made with has its rights on the hub", async () => {
    await makeProject("roles", { roles: [roleOf("roles", "get")] });
    await expect
      .poll(() => project("edge-roles"), patience)
      .toMatchObject({
        spec: { roles: [{ name: "dev", policies: [policyOf("edge-roles", "get", "edge/")] }] },
      });
  });

  test("Default_Autonomous: the default project is shown under the cluster's name", async () => {
    await makeProject("default", { destinations: [{ server: "*", namespace: "*" }] });
    await expect
      .poll(() => project("edge-default"), patience)
      .toMatchObject({
        spec: { destinations: [{ name: "edge", server: "*", namespace: "*" }] },
      });
  });
});

describe("Revert", () => {
  test("RevertAutonomousAppChanges: an application that is changed on the hub is put back", async () => {
    await make("kept", { metadata: { labels: { team: "a" } } });
    await expect.poll(() => mirror("kept"), patience).toBeDefined();
    await patch("edge", "kept", {
      spec: { source: { path: "mine" } },
      metadata: { labels: { team: "mine", more: "x" } },
    });
    await expect
      .poll(() => mirror("kept"), patience)
      .toMatchObject({ spec: { source: { path: "kept" } }, metadata: { labels: { team: "a" } } });
    expect((await mirror("kept"))?.metadata.labels).not.toHaveProperty("more");
  });

  test("RevertAutonomousAppDeletion: an application that is deleted on the hub is made again with its status, finalizers or not", async () => {
    await make("again", { metadata: { finalizers: [resources] } });
    await patch(there, "again", { status: { health: { status: "Healthy" } } });
    await expect.poll(() => mirror("again"), patience).toMatchObject({ status: { health: { status: "Healthy" } } });
    const uid = (await mirror("again"))?.metadata.uid;
    await remove("edge", "again");
    await expect.poll(async () => (await mirror("again"))?.metadata.uid ?? uid, patience).not.toBe(uid);
    await expect
      .poll(() => mirror("again"), patience)
      .toMatchObject({
        metadata: { finalizers: [resources] },
        status: { health: { status: "Healthy" } },
      });
    expect((await mirror("again"))?.metadata).not.toHaveProperty("deletionTimestamp");
    expect((await read(there, "again"))?.metadata).not.toHaveProperty("deletionTimestamp");
  });

  test("RevertAppProjectUpdatesAutonomousMode: a project that is changed, relabelled or deleted on the hub is put back", async () => {
    await makeProject("firm", { description: "own" });
    await expect.poll(() => project("edge-firm"), patience).toBeDefined();
    await patchProject("argocd", "edge-firm", { spec: { description: "mine", sourceNamespaces: ["*"] } });
    await expect
      .poll(() => project("edge-firm"), patience)
      .toMatchObject({ spec: { description: "own", sourceNamespaces: ["edge"] } });
    await patchProject("argocd", "edge-firm", { metadata: { labels: null } });
    await expect
      .poll(() => project("edge-firm"), patience)
      .toMatchObject({ metadata: { labels: { "fairlead.dev/cluster": "edge" } } });
    await removeProject("argocd", "edge-firm");
    await expect.poll(() => project("edge-firm"), patience).toMatchObject({ spec: { description: "own" } });
  });
});

describe("Sync", () => {
  test("SyncAutonomous: a sync, its end and a refresh that are asked for on the hub reach the cluster, once each", async () => {
    await make("work");
    await expect.poll(() => mirror("work"), patience).toBeDefined();
    const path = "/api/v1/clusters/edge/applications/edge/work";
    expect((await requestHub(hub, `${path}/sync`, { method: "POST", body: '{"revision":"main"}' })).status).toBe(200);
    await expect.poll(() => read(there, "work"), patience).toMatchObject({ operation: { sync: { revision: "main" } } });
    // As Argo CD's controller has it while it syncs.
    const operationState = {
      operation: { sync: { revision: "main" } },
      phase: "Running",
      startedAt: "2026-01-01T00:00:00Z",
    };
    await patch(there, "work", { status: { operationState } });
    await expect
      .poll(() => mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Running" } } });
    expect((await requestHub(hub, `${path}/terminate`, { method: "POST", body: "{}" })).status).toBe(200);
    await expect
      .poll(() => read(there, "work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Terminating" } } });
    await patch(there, "work", { operation: null, status: { operationState: { ...operationState, phase: "Failed" } } });
    await expect
      .poll(() => mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Failed" } } });
    await expect.poll(() => mirror("work"), patience).not.toHaveProperty("operation");
    expect(await read(there, "work")).not.toHaveProperty("operation");

    await patch("edge", "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } });
    await expect
      .poll(async () => (await read(there, "work"))?.metadata.annotations, patience)
      .toHaveProperty(["argocd.argoproj.io/refresh"], "hard");
    await patch(there, "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": null } } });
    await expect
      .poll(async () => (await mirror("work"))?.metadata.annotations, patience)
      .not.toHaveProperty(["argocd.argoproj.io/refresh"]);
  });

  test("AutonomousAppCreation, AutonomousSpecUpdate: the hub makes, changes and removes no application of the cluster's", async () => {
    await expect.poll(() => mirror("work"), patience).toBeDefined();
    for (const [method, name] of [
      ["PUT", "new"],
      ["PUT", "work"],
      ["DELETE", "work"],
    ] as const) {
      const path = `/api/v1/clusters/edge/applications/edge/${name}`;
      const { status, text } = await requestHub(hub, path, {
        method,
        ...(method === "PUT" && { body: '{"spec":{}}' }),
      });
      expect([status, text]).toEqual([409, expect.stringContaining("GITOPS_CLUSTER_AUTONOMOUS")]);
    }
    expect((await hub.cli(["argo", "app", "list"])).stdout).toContain("work");
  });
});

describe("Resync", () => {
  test("OnConnectionLostAutonomous: what is changed on both sides while the cable is cut is as in the cluster afterwards", async () => {
    await make("cut");
    await make("cut-gone");
    await make("cut-mine");
    await expect
      .poll(async () => [await mirror("cut"), await mirror("cut-gone"), await mirror("cut-mine")], patience)
      .not.toContain(undefined);
    joined.cable.cut();
    await patch(there, "cut", { spec: { source: { path: "next" } } });
    await remove(there, "cut-gone");
    await make("cut-new");
    await patch("edge", "cut", { spec: { source: { path: "mine" } } });
    await remove("edge", "cut-mine");
    joined.cable.heal();
    await expect.poll(() => mirror("cut"), patience).toMatchObject({ spec: { source: { path: "next" } } });
    await expect.poll(() => mirror("cut-gone"), patience).toBeUndefined();
    await expect.poll(() => mirror("cut-new"), patience).toBeDefined();
    await expect.poll(() => mirror("cut-mine"), patience).toBeDefined();
  });

  test("Deletion, Updates and AppProject OnPrincipalRestart: what is changed while the hub is away is as in the cluster when it is back", async () => {
    await fill("hub");
    await hub.stop();
    await changeAll("hub");
    await hub.start();
    await checkAll("hub");
  });

  test("Deletion, Updates and AppProject OnAgentRestart: what is changed while the agent is away is as in the cluster when it is back", async () => {
    await fill("agent");
    await joined.agent.stop();
    await changeAll("agent");
    await joined.agent.start();
    await checkAll("agent");
  });

  async function fill(prefix: string): Promise<void> {
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await make(`${prefix}-${name}`);
      await makeProject(`${prefix}-${name}`, {
        description: "own",
        destinations: [{ name: "in-cluster", namespace: "*" }],
      });
    }
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await expect.poll(() => mirror(`${prefix}-${name}`), patience).toBeDefined();
      await expect.poll(() => project(`edge-${prefix}-${name}`), patience).toBeDefined();
    }
  }

  async function changeAll(prefix: string): Promise<void> {
    await patch(there, `${prefix}-changed`, {
      spec: { source: { path: "next" } },
      status: { health: { status: "Degraded" } },
    });
    await remove(there, `${prefix}-gone`);
    await patch("edge", `${prefix}-mine`, { spec: { source: { path: "mine" } } });
    await remove("edge", `${prefix}-lost`);
    const destinations = [{ server: "https://elsewhere", namespace: "far" }];
    await patchProject(there, `${prefix}-changed`, {
      spec: { roles: [roleOf(`${prefix}-changed`, "get")], destinations },
    });
    await removeProject(there, `${prefix}-gone`);
    await patchProject("argocd", `edge-${prefix}-mine`, { spec: { description: "mine" } });
    await removeProject("argocd", `edge-${prefix}-lost`);
  }

  async function checkAll(prefix: string): Promise<void> {
    await expect
      .poll(() => mirror(`${prefix}-changed`), patience)
      .toMatchObject({ spec: { source: { path: "next" } } });
    await expect
      .poll(() => mirror(`${prefix}-changed`), patience)
      .toMatchObject({ status: { health: { status: "Degraded" } } });
    await expect.poll(() => mirror(`${prefix}-gone`), patience).toBeUndefined();
    await expect
      .poll(() => mirror(`${prefix}-mine`), patience)
      .toMatchObject({ spec: { source: { path: `${prefix}-mine` } } });
    await expect.poll(() => mirror(`${prefix}-lost`), patience).toBeDefined();
    const name = `edge-${prefix}-changed`;
    await expect
      .poll(() => project(name), patience)
      .toMatchObject({
        spec: {
          roles: [{ policies: [policyOf(name, "get", "edge/")] }],
          destinations: [{ name: "edge", server: "*", namespace: "far" }],
        },
      });
    await expect.poll(() => project(`edge-${prefix}-gone`), patience).toBeUndefined();
    await expect.poll(() => project(`edge-${prefix}-mine`), patience).toMatchObject({ spec: { description: "own" } });
    await expect.poll(() => project(`edge-${prefix}-lost`), patience).toMatchObject({ spec: { description: "own" } });
    expect(await mirror(`${prefix}-same`)).toBeDefined();
    expect(await project(`edge-${prefix}-same`)).toBeDefined();
  }
});

describe("Mode", () => {
  test("off leaves the mirrors as they are, and autonomous again goes on with them", async () => {
    await make("stays");
    await expect.poll(() => mirror("stays"), patience).toBeDefined();
    await hub.cli(["cluster", "set", "edge", "--gitops-mode", "off"]);
    await remove(there, "stays");
    await patch("edge", "kept", { spec: { source: { path: "mine" } } });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await mirror("stays")).toBeDefined();
    await hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => mirror("stays"), patience).toBeUndefined();
    await expect.poll(() => mirror("kept"), patience).toMatchObject({ spec: { source: { path: "kept" } } });
  });

  test("managed, then autonomous, then managed again deletes nothing, and what was the hub's is its own again", async () => {
    await hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await make("hubs", { namespace: "edge", spec: { destination: { name: "edge", namespace: "hubs" } } });
    await expect
      .poll(() => read(there, "hubs"), patience)
      .toMatchObject({ spec: { destination: { name: "in-cluster" } } });
    const [own, copy] = [await mirror("hubs"), await read(there, "hubs")];

    await hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => mirror("hubs"), patience).toMatchObject({ spec: { project: "edge-default" } });
    await expect
      .poll(async () => (await read(there, "hubs"))?.metadata.annotations ?? {}, patience)
      .not.toHaveProperty(["fairlead.dev/source-uid"]);
    await patch(there, "hubs", { spec: { source: { path: "next" } } });
    await expect.poll(() => mirror("hubs"), patience).toMatchObject({ spec: { source: { path: "next" } } });

    await hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await expect
      .poll(() => mirror("hubs"), patience)
      .toMatchObject({ spec: { project: "default", source: { path: "next" } } });
    await patch("edge", "hubs", { spec: { source: { path: "hub" } } });
    await expect
      .poll(() => read(there, "hubs"), patience)
      .toMatchObject({ spec: { source: { path: "hub" }, project: "default" } });
    expect((await mirror("hubs"))?.metadata.uid).toBe(own?.metadata.uid);
    expect((await read(there, "hubs"))?.metadata.uid).toBe(copy?.metadata.uid);
    // What only the cluster had is still there, and the hub's mirror of it rules nothing.
    await patch("edge", "kept", { spec: { source: { path: "mine" } } });
    await patch("edge", "hubs", { spec: { source: { path: "last" } } });
    await expect.poll(() => read(there, "hubs"), patience).toMatchObject({ spec: { source: { path: "last" } } });
    expect(await read(there, "kept")).toMatchObject({ spec: { source: { path: "kept" }, project: "default" } });
  });
});

interface Named {
  readonly name: string;
  readonly namespace: string;
}

interface Seen {
  readonly metadata: {
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly destination: object };
}

function make(
  name: string,
  { namespace = there, metadata = {}, spec = {} }: { namespace?: string; metadata?: object; spec?: object } = {},
): Promise<unknown> {
  const whole = {
    ...{ project: "default", destination: { name: "in-cluster", namespace: name } },
    ...{ source: { repoURL: "https://git.example/a", path: name }, ...spec },
  };
  return create("Application", { metadata: { name, namespace, ...metadata }, spec: whole });
}

function makeProject(name: string, spec: object): Promise<unknown> {
  return create("AppProject", { metadata: { name, namespace: there }, spec });
}

function create(kind: string, object: { readonly metadata: Named; readonly spec: object }): Promise<unknown> {
  const body = { apiVersion: "argoproj.io/v1alpha1", kind, ...object };
  return cluster.api.json({ method: "POST", path: place(`${kind.toLowerCase()}s`, object.metadata.namespace), body });
}

function mirror(name: string): Promise<Seen | undefined> {
  return read("edge", name);
}

function project(name: string): Promise<Seen | undefined> {
  return get(place("appprojects", "argocd", name));
}

function read(namespace: string, name: string): Promise<Seen | undefined> {
  return get(place("applications", namespace, name));
}

async function get(path: string): Promise<Seen | undefined> {
  const { status, text } = await cluster.api.send({ path });
  return status === 200 ? (JSON.parse(text) as Seen) : undefined;
}

function patch(namespace: string, name: string, body: object): Promise<unknown> {
  return merge(place("applications", namespace, name), body);
}

function patchProject(namespace: string, name: string, body: object): Promise<unknown> {
  return merge(place("appprojects", namespace, name), body);
}

function merge(path: string, body: object): Promise<unknown> {
  return cluster.api.json({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
}

function remove(namespace: string, name: string): Promise<unknown> {
  return cluster.api.json({ method: "DELETE", path: place("applications", namespace, name) });
}

function removeProject(namespace: string, name: string): Promise<unknown> {
  return cluster.api.json({ method: "DELETE", path: place("appprojects", namespace, name) });
}

function place(resource: string, namespace: string, name?: string): string {
  const collection = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/${resource}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

function roleOf(name: string, action: string): object {
  return {
    name: "dev",
    policies: [policyOf(name, action, ""), `p, proj:${name}:dev, clusters, get, ${name}/*, allow`],
  };
}

function policyOf(name: string, action: string, namespace: string): string {
  return `p, proj:${name}:dev, applications, ${action}, ${name}/${namespace}*, allow`;
}
