// What people ask of a managed cluster's applications, with Argo CD's own programs: syncs, beside a controller of
// ApplicationSets that writes their metadata anew, and deletions while the agent is away.
import { setTimeout as sleep } from "node:timers/promises";
import { applicationOf } from "@fairlead/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import {
  exists,
  findApplication,
  type ManagedHarness,
  patch,
  patience,
  readApplication,
  remove,
} from "./argo-managed-harness.fixture.ts";

let harness: ManagedHarness;

export function testOperations(opened: () => ManagedHarness): void {
  beforeAll(() => {
    harness = opened();
  });

  test("an ApplicationSet on the hub syncs its applications as often as they are asked to, by themselves or by hand", async () => {
    const spec = (name: string, isAutomated: boolean) =>
      applicationOf({ name, repository: harness.repository, path: "web", isAutomated }).spec;
    await makeSet("auto", spec("auto", true));
    await makeSet("hand", spec("hand", false));
    await harness.untilStates({ "east/auto": "Synced Healthy", "east/hand": "OutOfSync Missing" });
    await harness.argoHub.cli.run(["app", "sync", "east/hand", "--timeout", "90"]);
    await harness.untilStates({ "east/hand": "Synced Healthy" });
    // Each of the endless syncs took two seconds.
    await sleep(15_000);
    expect([await countRuns("auto"), await countRuns("hand")]).toEqual([1, 1]);
    await harness.argoHub.cli.run(["app", "sync", "east/hand", "--timeout", "90"]);
    await sleep(5_000);
    expect(await countRuns("hand")).toBe(2);
    for (const name of ["auto", "hand"])
      expect(await readApplication(harness.center, "east", name)).not.toHaveProperty("operation");
  });

  test("a sync that the cluster doesn't carry out fails for Argo CD's CLI, with the reason", async () => {
    await harness.create({ name: "going" });
    await harness.untilStates({ "east/going": "OutOfSync Missing" });
    await patch(harness.east, "argocd", "going", { metadata: { finalizers: ["example.com/holds"] } });
    await remove(harness.east, "argocd", "going");
    const sync = ["app", "sync", "east/going", "--timeout", "60"];
    const { code, stdout, stderr } = await harness.argoHub.cli.run(sync, { allowFailure: true });
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain("The application is being deleted in the cluster.");
    await patch(harness.east, "argocd", "going", { metadata: { finalizers: null } });
  });

  describe("a deletion that is asked for while the agent is away", () => {
    test("leaves what the application deployed with --cascade=false, though its copy would take it along", async () => {
      await makeSynced("orphaned");
      await patch(harness.center, "east", "orphaned", { metadata: { finalizers: [finalizer] } });
      await expect.poll(() => finalizersOf("orphaned"), patience).toContain(finalizer);
      harness.joined.cable.cut();
      await harness.argoHub.cli.run(["app", "delete", "east/orphaned", "--cascade=false", "--yes"]);
      await expect.poll(() => exists(harness.center, "east", "orphaned"), patience).toBe(false);
      harness.joined.cable.heal();
      await expect.poll(() => exists(harness.east, "argocd", "orphaned"), patience).toBe(false);
      expect(await harness.readData("orphaned")).toEqual({ value: "one" });
    });

    test("takes along what the application deployed without it, though its copy wouldn't", async () => {
      await makeSynced("taken");
      expect(await finalizersOf("taken")).toEqual([]);
      harness.joined.cable.cut();
      await harness.argoHub.cli.run(["app", "delete", "east/taken", "--yes"]);
      expect(await exists(harness.center, "east", "taken")).toBe(true);
      harness.joined.cable.heal();
      await expect.poll(() => exists(harness.center, "east", "taken"), patience).toBe(false);
      expect(await exists(harness.east, "argocd", "taken")).toBe(false);
      expect(await harness.readData("taken")).toBeUndefined();
    });
  });

  describe("a project that is deleted right after its application", () => {
    test.each([
      ["goes after it, on both sides", "shop", []],
      ["… with Argo CD's finalizer, too", "bank", [finalizer]],
    ])("%s", async (_, project, finalizers) => {
      const meta = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata: { name: project, finalizers } };
      const kinds = { clusterResourceWhitelist: [{ group: "*", kind: "*" }] };
      const destinations = [{ server: "*", namespace: "*" }];
      const spec = { sourceRepos: ["*"], sourceNamespaces: ["*"], destinations, ...kinds };
      await harness.center.api.json({ method: "POST", path: projects, body: { ...meta, spec } });
      const name = `of-${project}`;
      const application = applicationOf({
        name,
        namespace: "east",
        repository: harness.repository,
        path: "web",
        isAutomated: true,
      });
      const body = { ...application, spec: { ...application.spec, project } };
      await harness.center.api.json({ method: "POST", path: applications, body });
      await harness.untilStates({ [`east/${name}`]: "Synced Healthy" });
      await harness.argoHub.cli.run(["app", "delete", `east/${name}`, "--yes"]);
      await harness.center.api.send({ method: "DELETE", path: `${projects}/${project}` });
      await expect.poll(() => exists(harness.center, "east", name), patience).toBe(false);
      expect(await exists(harness.east, "argocd", name)).toBe(false);
      expect(await harness.readData(name)).toBeUndefined();
      for (const cluster of [harness.east, harness.center])
        await expect
          .poll(async () => (await cluster.api.send({ path: `${projects}/${project}` })).status, patience)
          .toBe(404);
    });
  });
}

async function makeSet(name: string, spec: object): Promise<void> {
  const path = "/apis/argoproj.io/v1alpha1/namespaces/east/applicationsets";
  const meta = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", metadata: { name } };
  const template = { metadata: { name: "{{.app}}" }, spec };
  const generators = [{ list: { elements: [{ app: name }] } }];
  await harness.center.api.json({
    method: "POST",
    path,
    body: { ...meta, spec: { goTemplate: true, generators, template } },
  });
}

async function makeSynced(name: string): Promise<void> {
  await harness.create({ name, isAutomated: true });
  await harness.untilStates({ [`east/${name}`]: "Synced Healthy" });
}

/** In the cluster. */
async function countRuns(name: string): Promise<number> {
  return (await readApplication(harness.east, "argocd", name)).status?.history?.length ?? 0;
}

async function finalizersOf(name: string): Promise<readonly string[]> {
  return (await findApplication(harness.east, "argocd", name))?.metadata.finalizers ?? [];
}

const finalizer = "resources-finalizer.argocd.argoproj.io";
const projects = "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects";
const applications = "/apis/argoproj.io/v1alpha1/namespaces/east/applications";
