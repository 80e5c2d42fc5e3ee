// An autonomous cluster through a hub, an agent and a cable between them. The tests play Argo CD's controllers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import {
  type AutonomousHarness,
  openAutonomousHarness,
  policyOf,
  roleOf,
  there,
} from "./argo-autonomous-harness.fixture.ts";

const patience = { timeout: 60_000, interval: 50 };
const resources = "resources-finalizer.argocd.argoproj.io";
let harness: AutonomousHarness;

beforeAll(async () => {
  harness = await openAutonomousHarness();
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("AgentAutonomous", () => {
  test("an application of the cluster is shown on the hub as it is, in the cluster's project and for the cluster, until it is gone", async () => {
    const metadata = { labels: { team: "a" }, annotations: { note: "x" }, finalizers: [resources] };
    await harness.make("web", {
      metadata,
      spec: { destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
    });
    await expect
      .poll(() => harness.mirror("web"), patience)
      .toMatchObject({
        metadata: { labels: { team: "a" }, annotations: { note: "x" } },
        spec: { project: "edge.default", destination: { name: "edge", namespace: "web" }, source: { path: "web" } },
      });
    expect((await harness.mirror("web"))?.spec.destination).not.toHaveProperty("server");
    expect((await harness.mirror("web"))?.metadata).not.toHaveProperty("finalizers");
    const child = { group: "argoproj.io", version: "v1alpha1", kind: "Application", namespace: there, name: "child" };
    await harness.patch(there, "web", {
      status: { health: { status: "Healthy" }, resources: [child] },
      operation: { sync: {} },
    });
    await expect
      .poll(() => harness.mirror("web"), patience)
      .toMatchObject({
        status: { health: { status: "Healthy" }, resources: [{ ...child, namespace: "edge" }] },
      });
    expect(await harness.mirror("web")).not.toHaveProperty("operation");
    await harness.patch(there, "web", { spec: { source: { path: "next" }, project: "shop" }, operation: null });
    await expect
      .poll(() => harness.mirror("web"), patience)
      .toMatchObject({ spec: { source: { path: "next" }, project: "edge.shop" } });
    await expect.poll(() => harness.mirror("web"), patience).not.toHaveProperty("operation");
    await harness.patch(there, "web", { metadata: { finalizers: null } });
    await harness.remove(there, "web");
    await expect.poll(() => harness.mirror("web"), patience).toBeUndefined();
  });

  test("of two with one name in two namespaces of the cluster the hub shows the first, and the other when that is gone", async () => {
    await harness.make("twin");
    await expect.poll(() => harness.mirror("twin"), patience).toMatchObject({ spec: { source: { path: "twin" } } });
    await harness.make("twin", {
      namespace: "edge-team",
      spec: { source: { repoURL: "https://git.example/a", path: "other" } },
    });
    await harness.make("after-twin");
    await expect.poll(() => harness.mirror("after-twin"), patience).toBeDefined();
    expect(await harness.mirror("twin")).toMatchObject({ spec: { source: { path: "twin" } } });
    await harness.remove(there, "twin");
    await expect.poll(() => harness.mirror("twin"), patience).toMatchObject({ spec: { source: { path: "other" } } });
    await harness.remove("edge-team", "twin");
  });

  test("an application that the hub has of its own stays, and isn't shown as the cluster's", async () => {
    await harness.make("own", { namespace: "edge", spec: { project: "mine" } });
    await harness.make("own");
    await harness.make("after-own");
    await expect.poll(() => harness.mirror("after-own"), patience).toBeDefined();
    expect(await harness.mirror("own")).toMatchObject({ spec: { project: "mine" } });
    await harness.remove(there, "own");
    await harness.make("later");
    await expect.poll(() => harness.mirror("later"), patience).toBeDefined();
    expect(await harness.mirror("own")).toBeDefined();
    await harness.remove("edge", "own");
  });
});

describe("AppProject", () => {
  test("Autonomous: a project is shown under the cluster's name, for that cluster alone, with its roles' rights over the mirrors", async () => {
    await harness.makeProject("shop", {
      sourceRepos: ["*"],
      sourceNamespaces: ["*"],
      destinations: [{ server: "*", namespace: "shop" }],
    });
    await expect
      .poll(() => harness.project("edge.shop"), patience)
      .toMatchObject({
        spec: {
          sourceRepos: ["*"],
          sourceNamespaces: ["edge"],
          destinations: [{ name: "edge", namespace: "shop" }],
        },
      });
    await harness.patchProject(there, "shop", { spec: { description: "new", roles: [roleOf("shop", "sync")] } });
    await expect
      .poll(() => harness.project("edge.shop"), patience)
      .toMatchObject({
        spec: { description: "new", roles: [{ name: "dev", policies: [policyOf("edge.shop", "sync", "edge/")] }] },
      });
    await harness.removeProject(there, "shop");
    await expect.poll(() => harness.project("edge.shop"), patience).toBeUndefined();
  });

  test("Autonomous_CreateWithProjectRole: a role that a project is made with has its rights on the hub", async () => {
    await harness.makeProject("roles", { roles: [roleOf("roles", "get")] });
    await expect
      .poll(() => harness.project("edge.roles"), patience)
      .toMatchObject({
        spec: { roles: [{ name: "dev", policies: [policyOf("edge.roles", "get", "edge/")] }] },
      });
  });

  test("Default_Autonomous: the default project is shown under the cluster's name", async () => {
    await harness.makeProject("default", { destinations: [{ server: "*", namespace: "*" }] });
    await expect
      .poll(() => harness.project("edge.default"), patience)
      .toMatchObject({
        spec: { destinations: [{ name: "edge", namespace: "*" }] },
      });
  });
});

describe("Revert", () => {
  test("RevertAutonomousAppChanges: an application that is changed on the hub is put back", async () => {
    await harness.make("kept", { metadata: { labels: { team: "a" } } });
    await expect.poll(() => harness.mirror("kept"), patience).toBeDefined();
    await harness.patch("edge", "kept", {
      spec: { source: { path: "mine" } },
      metadata: { labels: { team: "mine", more: "x" } },
    });
    await expect
      .poll(() => harness.mirror("kept"), patience)
      .toMatchObject({ spec: { source: { path: "kept" } }, metadata: { labels: { team: "a" } } });
    expect((await harness.mirror("kept"))?.metadata.labels).not.toHaveProperty("more");
  });

  test("RevertAutonomousAppDeletion: an application that is deleted on the hub is made again with its status, finalizers or not", async () => {
    await harness.make("again", { metadata: { finalizers: [resources] } });
    await harness.patch(there, "again", { status: { health: { status: "Healthy" } } });
    await expect
      .poll(() => harness.mirror("again"), patience)
      .toMatchObject({ status: { health: { status: "Healthy" } } });
    await harness.patch("edge", "again", { metadata: { finalizers: ["hub.example/kept"] } });
    const uid = (await harness.mirror("again"))?.metadata.uid;
    await harness.remove("edge", "again");
    await expect.poll(async () => (await harness.mirror("again"))?.metadata.uid ?? uid, patience).not.toBe(uid);
    await expect
      .poll(() => harness.mirror("again"), patience)
      .toMatchObject({
        status: { health: { status: "Healthy" } },
      });
    expect((await harness.mirror("again"))?.metadata).not.toHaveProperty("deletionTimestamp");
    expect((await harness.read(there, "again"))?.metadata).not.toHaveProperty("deletionTimestamp");
  });

  test("RevertAppProjectUpdatesAutonomousMode: a project that is changed, relabelled or deleted on the hub is put back", async () => {
    await harness.makeProject("firm", { description: "own" });
    await expect.poll(() => harness.project("edge.firm"), patience).toBeDefined();
    await harness.patchProject("argocd", "edge.firm", { spec: { description: "mine", sourceNamespaces: ["*"] } });
    await expect
      .poll(() => harness.project("edge.firm"), patience)
      .toMatchObject({ spec: { description: "own", sourceNamespaces: ["edge"] } });
    await harness.patchProject("argocd", "edge.firm", { metadata: { labels: null } });
    await expect
      .poll(() => harness.project("edge.firm"), patience)
      .toMatchObject({ metadata: { labels: { "fairlead.dev/cluster": "edge" } } });
    await harness.removeProject("argocd", "edge.firm");
    await expect.poll(() => harness.project("edge.firm"), patience).toMatchObject({ spec: { description: "own" } });
  });
});

describe("Sync", () => {
  test("SyncAutonomous: a sync, its end and a refresh that are asked for on the hub reach the cluster, once each", async () => {
    await harness.make("work");
    await expect.poll(() => harness.mirror("work"), patience).toBeDefined();
    const path = "/api/v1/clusters/edge/applications/edge/work";
    expect(
      (await requestHub(harness.hub, `${path}/sync`, { method: "POST", body: '{"revision":"main"}' })).status,
    ).toBe(200);
    await expect
      .poll(() => harness.read(there, "work"), patience)
      .toMatchObject({ operation: { sync: { revision: "main" } } });
    // As Argo CD's controller has it while it syncs.
    const operationState = {
      operation: { sync: { revision: "main" } },
      phase: "Running",
      startedAt: "2026-01-01T00:00:00Z",
    };
    await harness.patch(there, "work", { status: { operationState } });
    await expect
      .poll(() => harness.mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Running" } } });
    expect((await requestHub(harness.hub, `${path}/terminate`, { method: "POST", body: "{}" })).status).toBe(200);
    await expect
      .poll(() => harness.read(there, "work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Terminating" } } });
    await harness.patch(there, "work", {
      operation: null,
      status: { operationState: { ...operationState, phase: "Failed" } },
    });
    await expect
      .poll(() => harness.mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Failed" } } });
    await expect.poll(() => harness.mirror("work"), patience).not.toHaveProperty("operation");
    expect(await harness.read(there, "work")).not.toHaveProperty("operation");

    await harness.patch("edge", "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } });
    await expect
      .poll(async () => (await harness.read(there, "work"))?.metadata.annotations, patience)
      .toHaveProperty(["argocd.argoproj.io/refresh"], "hard");
    await harness.patch(there, "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": null } } });
    await expect
      .poll(async () => (await harness.mirror("work"))?.metadata.annotations, patience)
      .not.toHaveProperty(["argocd.argoproj.io/refresh"]);
  });

  test("AutonomousAppCreation, AutonomousSpecUpdate: the hub makes, changes and removes no application of the cluster's", async () => {
    await expect.poll(() => harness.mirror("work"), patience).toBeDefined();
    for (const [method, name] of [
      ["PUT", "new"],
      ["PUT", "work"],
      ["DELETE", "work"],
    ] as const) {
      const path = `/api/v1/clusters/edge/applications/edge/${name}`;
      const { status, text } = await requestHub(harness.hub, path, {
        method,
        ...(method === "PUT" && { body: '{"spec":{}}' }),
      });
      expect([status, text]).toEqual([409, expect.stringContaining("GITOPS_CLUSTER_AUTONOMOUS")]);
    }
    expect((await harness.hub.cli(["argo", "app", "list"])).stdout).toContain("work");
  });
});

describe("Resync", () => {
  test("OnConnectionLostAutonomous: what is changed on both sides while the cable is cut is as in the cluster afterwards", async () => {
    await harness.make("cut");
    await harness.make("cut-gone");
    await harness.make("cut-mine");
    await expect
      .poll(
        async () => [await harness.mirror("cut"), await harness.mirror("cut-gone"), await harness.mirror("cut-mine")],
        patience,
      )
      .not.toContain(undefined);
    harness.joined.cable.cut();
    await harness.patch(there, "cut", { spec: { source: { path: "next" } } });
    await harness.remove(there, "cut-gone");
    await harness.make("cut-new");
    await harness.patch("edge", "cut", { spec: { source: { path: "mine" } } });
    await harness.remove("edge", "cut-mine");
    harness.joined.cable.heal();
    await expect.poll(() => harness.mirror("cut"), patience).toMatchObject({ spec: { source: { path: "next" } } });
    await expect.poll(() => harness.mirror("cut-gone"), patience).toBeUndefined();
    await expect.poll(() => harness.mirror("cut-new"), patience).toBeDefined();
    await expect.poll(() => harness.mirror("cut-mine"), patience).toBeDefined();
  });

  test("Deletion, Updates and AppProject OnPrincipalRestart: what is changed while the hub is away is as in the cluster when it is back", async () => {
    await fill("hub");
    await harness.hub.stop();
    await changeAll("hub");
    await harness.hub.start();
    await checkAll("hub");
  });

  test("Deletion, Updates and AppProject OnAgentRestart: what is changed while the agent is away is as in the cluster when it is back", async () => {
    await fill("agent");
    await harness.joined.agent.stop();
    await changeAll("agent");
    await harness.joined.agent.start();
    await checkAll("agent");
  });

  async function fill(prefix: string): Promise<void> {
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await harness.make(`${prefix}-${name}`);
      await harness.makeProject(`${prefix}-${name}`, {
        description: "own",
        destinations: [{ name: "in-cluster", namespace: "*" }],
      });
    }
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await expect.poll(() => harness.mirror(`${prefix}-${name}`), patience).toBeDefined();
      await expect.poll(() => harness.project(`edge.${prefix}-${name}`), patience).toBeDefined();
    }
  }

  async function changeAll(prefix: string): Promise<void> {
    await harness.patch(there, `${prefix}-changed`, {
      spec: { source: { path: "next" } },
      status: { health: { status: "Degraded" } },
    });
    await harness.remove(there, `${prefix}-gone`);
    await harness.patch("edge", `${prefix}-mine`, { spec: { source: { path: "mine" } } });
    await harness.remove("edge", `${prefix}-lost`);
    const destinations = [{ server: "https://elsewhere", namespace: "far" }];
    await harness.patchProject(there, `${prefix}-changed`, {
      spec: { roles: [roleOf(`${prefix}-changed`, "get")], destinations },
    });
    await harness.removeProject(there, `${prefix}-gone`);
    await harness.patchProject("argocd", `edge.${prefix}-mine`, { spec: { description: "mine" } });
    await harness.removeProject("argocd", `edge.${prefix}-lost`);
  }

  async function checkAll(prefix: string): Promise<void> {
    await expect
      .poll(() => harness.mirror(`${prefix}-changed`), patience)
      .toMatchObject({ spec: { source: { path: "next" } } });
    await expect
      .poll(() => harness.mirror(`${prefix}-changed`), patience)
      .toMatchObject({ status: { health: { status: "Degraded" } } });
    await expect.poll(() => harness.mirror(`${prefix}-gone`), patience).toBeUndefined();
    await expect
      .poll(() => harness.mirror(`${prefix}-mine`), patience)
      .toMatchObject({ spec: { source: { path: `${prefix}-mine` } } });
    await expect.poll(() => harness.mirror(`${prefix}-lost`), patience).toBeDefined();
    const name = `edge.${prefix}-changed`;
    await expect
      .poll(() => harness.project(name), patience)
      .toMatchObject({
        spec: {
          roles: [{ policies: [policyOf(name, "get", "edge/")] }],
          destinations: [{ name: "edge", namespace: "far" }],
        },
      });
    await expect.poll(() => harness.project(`edge.${prefix}-gone`), patience).toBeUndefined();
    await expect
      .poll(() => harness.project(`edge.${prefix}-mine`), patience)
      .toMatchObject({ spec: { description: "own" } });
    await expect
      .poll(() => harness.project(`edge.${prefix}-lost`), patience)
      .toMatchObject({ spec: { description: "own" } });
    expect(await harness.mirror(`${prefix}-same`)).toBeDefined();
    expect(await harness.project(`edge.${prefix}-same`)).toBeDefined();
  }
});

describe("Mode", () => {
  test("off leaves the mirrors as they are, and autonomous again goes on with them", async () => {
    await harness.make("stays");
    await expect.poll(() => harness.mirror("stays"), patience).toBeDefined();
    await harness.hub.cli(["cluster", "set", "edge", "--gitops-mode", "off"]);
    await harness.remove(there, "stays");
    await harness.patch("edge", "kept", { spec: { source: { path: "mine" } } });
    expect(await harness.mirror("stays")).toBeDefined();
    await harness.hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => harness.mirror("stays"), patience).toBeUndefined();
    await expect.poll(() => harness.mirror("kept"), patience).toMatchObject({ spec: { source: { path: "kept" } } });
  });

  test("managed, then autonomous, then managed again deletes nothing, and what was the hub's is its own again", async () => {
    await harness.hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await harness.make("hubs", { namespace: "edge", spec: { destination: { name: "edge", namespace: "hubs" } } });
    await expect
      .poll(() => harness.read(there, "hubs"), patience)
      .toMatchObject({ spec: { destination: { name: "in-cluster" } } });
    const [own, copy] = [await harness.mirror("hubs"), await harness.read(there, "hubs")];

    await harness.hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => harness.mirror("hubs"), patience).toMatchObject({ spec: { project: "edge.default" } });
    await expect
      .poll(async () => (await harness.read(there, "hubs"))?.metadata.annotations ?? {}, patience)
      .not.toHaveProperty(["fairlead.dev/source-uid"]);
    await harness.patch(there, "hubs", { spec: { source: { path: "next" } } });
    await expect.poll(() => harness.mirror("hubs"), patience).toMatchObject({ spec: { source: { path: "next" } } });

    await harness.hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await expect
      .poll(() => harness.mirror("hubs"), patience)
      .toMatchObject({ spec: { project: "default", source: { path: "next" } } });
    await harness.patch("edge", "hubs", { spec: { source: { path: "hub" } } });
    await expect
      .poll(() => harness.read(there, "hubs"), patience)
      .toMatchObject({ spec: { source: { path: "hub" }, project: "default" } });
    expect((await harness.mirror("hubs"))?.metadata.uid).toBe(own?.metadata.uid);
    expect((await harness.read(there, "hubs"))?.metadata.uid).toBe(copy?.metadata.uid);
    // An application that only the cluster had is still there, and the hub's mirror of it rules nothing.
    await harness.patch("edge", "kept", { spec: { source: { path: "mine" } } });
    await harness.patch("edge", "hubs", { spec: { source: { path: "last" } } });
    await expect
      .poll(() => harness.read(there, "hubs"), patience)
      .toMatchObject({ spec: { source: { path: "last" } } });
    expect(await harness.read(there, "kept")).toMatchObject({ spec: { source: { path: "kept" }, project: "default" } });
  });
});
