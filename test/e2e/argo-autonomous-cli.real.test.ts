// An autonomous cluster, seen and synced by the CLI of a stock Argo CD beside the hub.
import { type ArgoHub, type ArgoRepository, openArgoRepository, reservePorts, startArgoHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AutonomousHarness,
  openAutonomousHarness,
  policyOf,
  roleOf,
  there,
} from "./argo-autonomous-harness.fixture.ts";

const patience = { timeout: 60_000, interval: 50 };
let harness: AutonomousHarness;
let argo: ArgoHub;
let repository: ArgoRepository;

beforeAll(async () => {
  harness = await openAutonomousHarness(async (cluster, undo) => {
    repository = undo.use(await openArgoRepository());
    await repository.commit({ files: { "web/web.yaml": "" } });
    const [port, redisPort] = undo.use(await reservePorts(2)).ports;
    const serverArgs = ["--redis", `127.0.0.1:${redisPort}`];
    argo = undo.use(await startArgoHub(cluster, { applicationNamespaces: ["edge"], serverArgs }));
    return [
      "--argo-redis-listen",
      `127.0.0.1:${redisPort}`,
      "--argo-redis-upstream",
      `redis://${argo.redis.address}`,
      "--listen",
      `127.0.0.1:${port}`,
      "--public-url",
      `https://127.0.0.1:${port}`,
      "--argo-cluster-secrets",
    ];
  });
}, 600_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

test("SyncAutonomous: Argo CD's CLI on the hub shows an application and its project, and a sync that it asks for is started in the cluster", async () => {
  await harness.makeProject("default", {
    sourceRepos: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
    roles: [roleOf("default", "sync")],
  });
  const source = { repoURL: repository.url, path: "web", targetRevision: "main" };
  await harness.make("web", {
    spec: { source, destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
  });
  await harness.patch(there, "web", { status: { sync: { status: "OutOfSync" }, health: { status: "Missing" } } });
  await expect.poll(() => harness.mirror("web"), patience).toMatchObject({ status: { sync: { status: "OutOfSync" } } });
  await expect.poll(() => harness.project("edge.default"), patience).toBeDefined();

  expect(await argo.cli.json(["app", "list"])).toMatchObject([
    {
      metadata: { namespace: "edge", name: "web" },
      spec: { project: "edge.default", destination: { name: "edge", namespace: "web" } },
      status: { sync: { status: "OutOfSync" }, health: { status: "Missing" } },
    },
  ]);
  const { stdout: role } = await argo.cli.run(["proj", "role", "get", "edge.default", "dev"]);
  expect(role).toContain(policyOf("edge.default", "sync", "edge/"));

  await argo.cli.run(["app", "sync", "edge/web", "--async", "--prune"]);
  await expect.poll(() => harness.read(there, "web"), patience).toMatchObject({ operation: { sync: { prune: true } } });
  await argo.cli.run(["app", "delete", "edge/web", "--yes"]);
  await expect.poll(() => harness.mirror("web"), patience).not.toHaveProperty("metadata.deletionTimestamp");
  await expect.poll(() => harness.mirror("web"), patience).toMatchObject({ spec: { project: "edge.default" } });
  expect((await harness.read(there, "web"))?.metadata).not.toHaveProperty("deletionTimestamp");
});

test("ClusterInfo_Autonomous: Argo CD's list of clusters says whether the agent is there, and since when it is away", async () => {
  // What the CLI's list is made of, without that program's start.
  const shown = async () => {
    const { text } = await argo.server.request({ path: "/api/v1/clusters" });
    const { items = [] } = JSON.parse(text) as { items?: readonly ShownCluster[] };
    return items.find(({ name }) => name === "edge")?.connectionState;
  };
  const here = { status: "Successful", message: expect.stringContaining("reads the Redis of the cluster's Argo CD") };
  await expect.poll(shown, { timeout: 60_000, interval: 250 }).toMatchObject(here);
  await harness.joined.agent.stop();
  const away = { status: "Failed", message: expect.stringMatching(/^The agent is away since 2.*Z\.$/) };
  await expect.poll(shown, patience).toMatchObject(away);
  expect((await argo.cli.run(["cluster", "list"])).stdout).toMatch(/\bedge\b.*\bFailed\b.*The agent is away since /);
  await harness.joined.agent.start();
  await expect.poll(shown, patience).toMatchObject(here);
});

interface ShownCluster {
  readonly name: string;
  readonly connectionState: { readonly status: string; readonly message: string };
}
