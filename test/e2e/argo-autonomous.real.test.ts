// An autonomous cluster through a hub, an agent and a cable between them. The tests play Argo CD's controllers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type AutonomousBed, openAutonomousBed, policyOf, roleOf, there } from "./argo-autonomous-bed.fixture.ts";

const patience = { timeout: 30_000, interval: 50 };
const resources = "resources-finalizer.argocd.argoproj.io";
let bed: AutonomousBed;

beforeAll(async () => {
  bed = await openAutonomousBed();
}, 300_000);
afterAll(() => bed?.[Symbol.asyncDispose]());

describe("AgentAutonomous", () => {
  test("an application of the cluster is shown on the hub as it is, in the cluster's project and for the cluster, until it is gone", async () => {
    const metadata = { labels: { team: "a" }, annotations: { note: "x" }, finalizers: [resources] };
    await bed.make("web", {
      metadata,
      spec: { destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
    });
    await expect
      .poll(() => bed.mirror("web"), patience)
      .toMatchObject({
        metadata: { labels: { team: "a" }, annotations: { note: "x" } },
        spec: { project: "edge.default", destination: { name: "edge", namespace: "web" }, source: { path: "web" } },
      });
    expect((await bed.mirror("web"))?.spec.destination).not.toHaveProperty("server");
    expect((await bed.mirror("web"))?.metadata).not.toHaveProperty("finalizers");
    const child = { group: "argoproj.io", version: "v1alpha1", kind: "Application", namespace: there, name: "child" };
    await bed.patch(there, "web", {
      status: { health: { status: "Healthy" }, resources: [child] },
      operation: { sync: {} },
    });
    await expect
      .poll(() => bed.mirror("web"), patience)
      .toMatchObject({
        status: { health: { status: "Healthy" }, resources: [{ ...child, namespace: "edge" }] },
      });
    expect(await bed.mirror("web")).not.toHaveProperty("operation");
    await bed.patch(there, "web", { spec: { source: { path: "next" }, project: "shop" }, operation: null });
    await expect
      .poll(() => bed.mirror("web"), patience)
      .toMatchObject({ spec: { source: { path: "next" }, project: "edge.shop" } });
    await expect.poll(() => bed.mirror("web"), patience).not.toHaveProperty("operation");
    await bed.patch(there, "web", { metadata: { finalizers: null } });
    await bed.remove(there, "web");
    await expect.poll(() => bed.mirror("web"), patience).toBeUndefined();
  });

  test("of two with one name in two namespaces of the cluster the hub shows the first, and the other when that is gone", async () => {
    await bed.make("twin");
    await expect.poll(() => bed.mirror("twin"), patience).toMatchObject({ spec: { source: { path: "twin" } } });
    await bed.make("twin", {
      namespace: "edge-team",
      spec: { source: { repoURL: "https://git.example/a", path: "other" } },
    });
    await bed.make("after-twin");
    await expect.poll(() => bed.mirror("after-twin"), patience).toBeDefined();
    expect(await bed.mirror("twin")).toMatchObject({ spec: { source: { path: "twin" } } });
    await bed.remove(there, "twin");
    await expect.poll(() => bed.mirror("twin"), patience).toMatchObject({ spec: { source: { path: "other" } } });
    await bed.remove("edge-team", "twin");
  });

  test("an application that the hub has of its own stays, and isn't shown as the cluster's", async () => {
    await bed.make("own", { namespace: "edge", spec: { project: "mine" } });
    await bed.make("own");
    await bed.make("after-own");
    await expect.poll(() => bed.mirror("after-own"), patience).toBeDefined();
    expect(await bed.mirror("own")).toMatchObject({ spec: { project: "mine" } });
    await bed.remove(there, "own");
    await bed.make("later");
    await expect.poll(() => bed.mirror("later"), patience).toBeDefined();
    expect(await bed.mirror("own")).toBeDefined();
    await bed.remove("edge", "own");
  });
});

describe("AppProject", () => {
  test("Autonomous: a project is shown under the cluster's name, for that cluster alone, with its roles' rights over the mirrors", async () => {
    await bed.makeProject("shop", {
      sourceRepos: ["*"],
      sourceNamespaces: ["*"],
      destinations: [{ server: "*", namespace: "shop" }],
    });
    await expect
      .poll(() => bed.project("edge.shop"), patience)
      .toMatchObject({
        spec: {
          sourceRepos: ["*"],
          sourceNamespaces: ["edge"],
          destinations: [{ name: "edge", namespace: "shop" }],
        },
      });
    await bed.patchProject(there, "shop", { spec: { description: "new", roles: [roleOf("shop", "sync")] } });
    await expect
      .poll(() => bed.project("edge.shop"), patience)
      .toMatchObject({
        spec: { description: "new", roles: [{ name: "dev", policies: [policyOf("edge.shop", "sync", "edge/")] }] },
      });
    await bed.removeProject(there, "shop");
    await expect.poll(() => bed.project("edge.shop"), patience).toBeUndefined();
  });

  test("Autonomous_CreateWithProjectRole: a role that a project is made with has its rights on the hub", async () => {
    await bed.makeProject("roles", { roles: [roleOf("roles", "get")] });
    await expect
      .poll(() => bed.project("edge.roles"), patience)
      .toMatchObject({
        spec: { roles: [{ name: "dev", policies: [policyOf("edge.roles", "get", "edge/")] }] },
      });
  });

  test("Default_Autonomous: the default project is shown under the cluster's name", async () => {
    await bed.makeProject("default", { destinations: [{ server: "*", namespace: "*" }] });
    await expect
      .poll(() => bed.project("edge.default"), patience)
      .toMatchObject({
        spec: { destinations: [{ name: "edge", namespace: "*" }] },
      });
  });
});

describe("Revert", () => {
  test("RevertAutonomousAppChanges: an application that is changed on the hub is put back", async () => {
    await bed.make("kept", { metadata: { labels: { team: "a" } } });
    await expect.poll(() => bed.mirror("kept"), patience).toBeDefined();
    await bed.patch("edge", "kept", {
      spec: { source: { path: "mine" } },
      metadata: { labels: { team: "mine", more: "x" } },
    });
    await expect
      .poll(() => bed.mirror("kept"), patience)
      .toMatchObject({ spec: { source: { path: "kept" } }, metadata: { labels: { team: "a" } } });
    expect((await bed.mirror("kept"))?.metadata.labels).not.toHaveProperty("more");
  });

  test("RevertAutonomousAppDeletion: an application that is deleted on the hub is made again with its status, finalizers or not", async () => {
    await bed.make("again", { metadata: { finalizers: [resources] } });
    await bed.patch(there, "again", { status: { health: { status: "Healthy" } } });
    await expect.poll(() => bed.mirror("again"), patience).toMatchObject({ status: { health: { status: "Healthy" } } });
    await bed.patch("edge", "again", { metadata: { finalizers: ["hub.example/kept"] } });
    const uid = (await bed.mirror("again"))?.metadata.uid;
    await bed.remove("edge", "again");
    await expect.poll(async () => (await bed.mirror("again"))?.metadata.uid ?? uid, patience).not.toBe(uid);
    await expect
      .poll(() => bed.mirror("again"), patience)
      .toMatchObject({
        status: { health: { status: "Healthy" } },
      });
    expect((await bed.mirror("again"))?.metadata).not.toHaveProperty("deletionTimestamp");
    expect((await bed.read(there, "again"))?.metadata).not.toHaveProperty("deletionTimestamp");
  });

  test("RevertAppProjectUpdatesAutonomousMode: a project that is changed, relabelled or deleted on the hub is put back", async () => {
    await bed.makeProject("firm", { description: "own" });
    await expect.poll(() => bed.project("edge.firm"), patience).toBeDefined();
    await bed.patchProject("argocd", "edge.firm", { spec: { description: "mine", sourceNamespaces: ["*"] } });
    await expect
      .poll(() => bed.project("edge.firm"), patience)
      .toMatchObject({ spec: { description: "own", sourceNamespaces: ["edge"] } });
    await bed.patchProject("argocd", "edge.firm", { metadata: { labels: null } });
    await expect
      .poll(() => bed.project("edge.firm"), patience)
      .toMatchObject({ metadata: { labels: { "fairlead.dev/cluster": "edge" } } });
    await bed.removeProject("argocd", "edge.firm");
    await expect.poll(() => bed.project("edge.firm"), patience).toMatchObject({ spec: { description: "own" } });
  });
});

describe("Sync", () => {
  test("SyncAutonomous: a sync, its end and a refresh that are asked for on the hub reach the cluster, once each", async () => {
    await bed.make("work");
    await expect.poll(() => bed.mirror("work"), patience).toBeDefined();
    const path = "/api/v1/clusters/edge/applications/edge/work";
    expect((await requestHub(bed.hub, `${path}/sync`, { method: "POST", body: '{"revision":"main"}' })).status).toBe(
      200,
    );
    await expect
      .poll(() => bed.read(there, "work"), patience)
      .toMatchObject({ operation: { sync: { revision: "main" } } });
    // As Argo CD's controller has it while it syncs.
    const operationState = {
      operation: { sync: { revision: "main" } },
      phase: "Running",
      startedAt: "2026-01-01T00:00:00Z",
    };
    await bed.patch(there, "work", { status: { operationState } });
    await expect
      .poll(() => bed.mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Running" } } });
    expect((await requestHub(bed.hub, `${path}/terminate`, { method: "POST", body: "{}" })).status).toBe(200);
    await expect
      .poll(() => bed.read(there, "work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Terminating" } } });
    await bed.patch(there, "work", {
      operation: null,
      status: { operationState: { ...operationState, phase: "Failed" } },
    });
    await expect
      .poll(() => bed.mirror("work"), patience)
      .toMatchObject({ status: { operationState: { phase: "Failed" } } });
    await expect.poll(() => bed.mirror("work"), patience).not.toHaveProperty("operation");
    expect(await bed.read(there, "work")).not.toHaveProperty("operation");

    await bed.patch("edge", "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": "hard" } } });
    await expect
      .poll(async () => (await bed.read(there, "work"))?.metadata.annotations, patience)
      .toHaveProperty(["argocd.argoproj.io/refresh"], "hard");
    await bed.patch(there, "work", { metadata: { annotations: { "argocd.argoproj.io/refresh": null } } });
    await expect
      .poll(async () => (await bed.mirror("work"))?.metadata.annotations, patience)
      .not.toHaveProperty(["argocd.argoproj.io/refresh"]);
  });

  test("AutonomousAppCreation, AutonomousSpecUpdate: the hub makes, changes and removes no application of the cluster's", async () => {
    await expect.poll(() => bed.mirror("work"), patience).toBeDefined();
    for (const [method, name] of [
      ["PUT", "new"],
      ["PUT", "work"],
      ["DELETE", "work"],
    ] as const) {
      const path = `/api/v1/clusters/edge/applications/edge/${name}`;
      const { status, text } = await requestHub(bed.hub, path, {
        method,
        ...(method === "PUT" && { body: '{"spec":{}}' }),
      });
      expect([status, text]).toEqual([409, expect.stringContaining("GITOPS_CLUSTER_AUTONOMOUS")]);
    }
    expect((await bed.hub.cli(["argo", "app", "list"])).stdout).toContain("work");
  });
});

describe("Resync", () => {
  test("OnConnectionLostAutonomous: what is changed on both sides while the cable is cut is as in the cluster afterwards", async () => {
    await bed.make("cut");
    await bed.make("cut-gone");
    await bed.make("cut-mine");
    await expect
      .poll(async () => [await bed.mirror("cut"), await bed.mirror("cut-gone"), await bed.mirror("cut-mine")], patience)
      .not.toContain(undefined);
    bed.joined.cable.cut();
    await bed.patch(there, "cut", { spec: { source: { path: "next" } } });
    await bed.remove(there, "cut-gone");
    await bed.make("cut-new");
    await bed.patch("edge", "cut", { spec: { source: { path: "mine" } } });
    await bed.remove("edge", "cut-mine");
    bed.joined.cable.heal();
    await expect.poll(() => bed.mirror("cut"), patience).toMatchObject({ spec: { source: { path: "next" } } });
    await expect.poll(() => bed.mirror("cut-gone"), patience).toBeUndefined();
    await expect.poll(() => bed.mirror("cut-new"), patience).toBeDefined();
    await expect.poll(() => bed.mirror("cut-mine"), patience).toBeDefined();
  });

  test("Deletion, Updates and AppProject OnPrincipalRestart: what is changed while the hub is away is as in the cluster when it is back", async () => {
    await fill("hub");
    await bed.hub.stop();
    await changeAll("hub");
    await bed.hub.start();
    await checkAll("hub");
  });

  test("Deletion, Updates and AppProject OnAgentRestart: what is changed while the agent is away is as in the cluster when it is back", async () => {
    await fill("agent");
    await bed.joined.agent.stop();
    await changeAll("agent");
    await bed.joined.agent.start();
    await checkAll("agent");
  });

  async function fill(prefix: string): Promise<void> {
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await bed.make(`${prefix}-${name}`);
      await bed.makeProject(`${prefix}-${name}`, {
        description: "own",
        destinations: [{ name: "in-cluster", namespace: "*" }],
      });
    }
    for (const name of ["same", "changed", "gone", "mine", "lost"]) {
      await expect.poll(() => bed.mirror(`${prefix}-${name}`), patience).toBeDefined();
      await expect.poll(() => bed.project(`edge.${prefix}-${name}`), patience).toBeDefined();
    }
  }

  async function changeAll(prefix: string): Promise<void> {
    await bed.patch(there, `${prefix}-changed`, {
      spec: { source: { path: "next" } },
      status: { health: { status: "Degraded" } },
    });
    await bed.remove(there, `${prefix}-gone`);
    await bed.patch("edge", `${prefix}-mine`, { spec: { source: { path: "mine" } } });
    await bed.remove("edge", `${prefix}-lost`);
    const destinations = [{ server: "https://elsewhere", namespace: "far" }];
    await bed.patchProject(there, `${prefix}-changed`, {
      spec: { roles: [roleOf(`${prefix}-changed`, "get")], destinations },
    });
    await bed.removeProject(there, `${prefix}-gone`);
    await bed.patchProject("argocd", `edge.${prefix}-mine`, { spec: { description: "mine" } });
    await bed.removeProject("argocd", `edge.${prefix}-lost`);
  }

  async function checkAll(prefix: string): Promise<void> {
    await expect
      .poll(() => bed.mirror(`${prefix}-changed`), patience)
      .toMatchObject({ spec: { source: { path: "next" } } });
    await expect
      .poll(() => bed.mirror(`${prefix}-changed`), patience)
      .toMatchObject({ status: { health: { status: "Degraded" } } });
    await expect.poll(() => bed.mirror(`${prefix}-gone`), patience).toBeUndefined();
    await expect
      .poll(() => bed.mirror(`${prefix}-mine`), patience)
      .toMatchObject({ spec: { source: { path: `${prefix}-mine` } } });
    await expect.poll(() => bed.mirror(`${prefix}-lost`), patience).toBeDefined();
    const name = `edge.${prefix}-changed`;
    await expect
      .poll(() => bed.project(name), patience)
      .toMatchObject({
        spec: {
          roles: [{ policies: [policyOf(name, "get", "edge/")] }],
          destinations: [{ name: "edge", namespace: "far" }],
        },
      });
    await expect.poll(() => bed.project(`edge.${prefix}-gone`), patience).toBeUndefined();
    await expect
      .poll(() => bed.project(`edge.${prefix}-mine`), patience)
      .toMatchObject({ spec: { description: "own" } });
    await expect
      .poll(() => bed.project(`edge.${prefix}-lost`), patience)
      .toMatchObject({ spec: { description: "own" } });
    expect(await bed.mirror(`${prefix}-same`)).toBeDefined();
    expect(await bed.project(`edge.${prefix}-same`)).toBeDefined();
  }
});

describe("Mode", () => {
  test("off leaves the mirrors as they are, and autonomous again goes on with them", async () => {
    await bed.make("stays");
    await expect.poll(() => bed.mirror("stays"), patience).toBeDefined();
    await bed.hub.cli(["cluster", "set", "edge", "--gitops-mode", "off"]);
    await bed.remove(there, "stays");
    await bed.patch("edge", "kept", { spec: { source: { path: "mine" } } });
    expect(await bed.mirror("stays")).toBeDefined();
    await bed.hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => bed.mirror("stays"), patience).toBeUndefined();
    await expect.poll(() => bed.mirror("kept"), patience).toMatchObject({ spec: { source: { path: "kept" } } });
  });

  test("managed, then autonomous, then managed again deletes nothing, and what was the hub's is its own again", async () => {
    await bed.hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await bed.make("hubs", { namespace: "edge", spec: { destination: { name: "edge", namespace: "hubs" } } });
    await expect
      .poll(() => bed.read(there, "hubs"), patience)
      .toMatchObject({ spec: { destination: { name: "in-cluster" } } });
    const [own, copy] = [await bed.mirror("hubs"), await bed.read(there, "hubs")];

    await bed.hub.cli(["cluster", "set", "edge", "--gitops-mode", "autonomous"]);
    await expect.poll(() => bed.mirror("hubs"), patience).toMatchObject({ spec: { project: "edge.default" } });
    await expect
      .poll(async () => (await bed.read(there, "hubs"))?.metadata.annotations ?? {}, patience)
      .not.toHaveProperty(["fairlead.dev/source-uid"]);
    await bed.patch(there, "hubs", { spec: { source: { path: "next" } } });
    await expect.poll(() => bed.mirror("hubs"), patience).toMatchObject({ spec: { source: { path: "next" } } });

    await bed.hub.cli(["cluster", "set", "edge", "--gitops-mode", "managed"]);
    await expect
      .poll(() => bed.mirror("hubs"), patience)
      .toMatchObject({ spec: { project: "default", source: { path: "next" } } });
    await bed.patch("edge", "hubs", { spec: { source: { path: "hub" } } });
    await expect
      .poll(() => bed.read(there, "hubs"), patience)
      .toMatchObject({ spec: { source: { path: "hub" }, project: "default" } });
    expect((await bed.mirror("hubs"))?.metadata.uid).toBe(own?.metadata.uid);
    expect((await bed.read(there, "hubs"))?.metadata.uid).toBe(copy?.metadata.uid);
    // An application that only the cluster had is still there, and the hub's mirror of it rules nothing.
    await bed.patch("edge", "kept", { spec: { source: { path: "mine" } } });
    await bed.patch("edge", "hubs", { spec: { source: { path: "last" } } });
    await expect.poll(() => bed.read(there, "hubs"), patience).toMatchObject({ spec: { source: { path: "last" } } });
    expect(await bed.read(there, "kept")).toMatchObject({ spec: { source: { path: "kept" }, project: "default" } });
  });
});
