// An autonomous cluster, seen and synced by the CLI of a stock Argo CD beside the hub.
import { type ArgoHub, type ArgoRepository, openArgoRepository, startArgoHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AutonomousBed, openAutonomousBed, policyOf, roleOf, there } from "./argo-autonomous-bed.fixture.ts";

const patience = { timeout: 30_000, interval: 50 };
let bed: AutonomousBed;
let argo: ArgoHub;
let repository: ArgoRepository;

beforeAll(async () => {
  bed = await openAutonomousBed(async (cluster, undo) => {
    repository = undo.use(await openArgoRepository());
    await repository.commit({ files: { "web/web.yaml": "" } });
    argo = undo.use(await startArgoHub(cluster, { applicationNamespaces: ["edge"] }));
  });
}, 600_000);
afterAll(() => bed?.[Symbol.asyncDispose]());

test("SyncAutonomous: Argo CD's CLI on the hub shows an application and its project, and a sync that it asks for is started in the cluster", async () => {
  await bed.makeProject("default", {
    ...{ sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }], roles: [roleOf("default", "sync")] },
  });
  const source = { repoURL: repository.url, path: "web", targetRevision: "main" };
  await bed.make("web", {
    spec: { source, destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
  });
  await bed.patch(there, "web", { status: { sync: { status: "OutOfSync" }, health: { status: "Missing" } } });
  await expect.poll(() => bed.mirror("web"), patience).toMatchObject({ status: { sync: { status: "OutOfSync" } } });
  await expect.poll(() => bed.project("edge-default"), patience).toBeDefined();

  expect(await argo.cli.json(["app", "list"])).toMatchObject([
    {
      metadata: { namespace: "edge", name: "web" },
      spec: { project: "edge-default", destination: { name: "edge", namespace: "web" } },
      status: { sync: { status: "OutOfSync" }, health: { status: "Missing" } },
    },
  ]);
  const { stdout: role } = await argo.cli.run(["proj", "role", "get", "edge-default", "dev"]);
  expect(role).toContain(policyOf("edge-default", "sync", "edge/"));

  await argo.cli.run(["app", "sync", "edge/web", "--async", "--prune"]);
  await expect.poll(() => bed.read(there, "web"), patience).toMatchObject({ operation: { sync: { prune: true } } });
  await argo.cli.run(["app", "delete", "edge/web", "--yes"]);
  await expect.poll(() => bed.mirror("web"), patience).not.toHaveProperty("metadata.deletionTimestamp");
  await expect.poll(() => bed.mirror("web"), patience).toMatchObject({ spec: { project: "edge-default" } });
  expect((await bed.read(there, "web"))?.metadata).not.toHaveProperty("deletionTimestamp");
});
