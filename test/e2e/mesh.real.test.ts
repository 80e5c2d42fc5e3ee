// Agents that show nothing of their own: a mesh says to the hub who they are.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  createAgentKubeconfig,
  findLogLines,
  sharedCluster,
  startAgent,
  startHubs,
  type TestAgent,
  type TestHub,
  type TestHubs,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { meshPattern, startMesh, type TestMesh } from "../fleet/start-mesh.ts";

let cluster: ClusterAccess;
let hubs: TestHubs;
/** It has the agent's link at first, and the other one. */
let there: TestHub;
let here: TestHub;
let mesh: TestMesh;
let agent: TestAgent;
let agentKubeconfig: string;
let kubeconfig: string;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  cluster = await sharedCluster();
  agentKubeconfig = await createAgentKubeconfig(cluster, "agent-in-mesh");
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: "/api/v1/namespaces/agent-in-mesh" })));
  const header = ["--mesh-identity-header", "x-forwarded-client-cert", "--mesh-identity-pattern", meshPattern];
  hubs = undo.use(await startHubs({ count: 2, args: [...header, "--mesh-identity-peers", "127.0.0.1"] }));
  [there, here] = hubs.hubs as [TestHub, TestHub];
  hubs.agents.use([there.agentPort]);
  mesh = undo.use(await startMesh({ hubPort: hubs.agents.port, hubCaPem: there.caPem }));
  const { stdout } = await there.cli(["cluster", "add", "east", "--role", "proxy"]);
  expect(stdout).toMatch(/fairlead-agent --hub \S+ --roles proxy --identity mesh\n/);
  agent = undo.use(await startInMesh("east"));
  kubeconfig = join(there.dataDir, "..", "kubeconfig");
  await there.cli(["kubeconfig", "east", "--context-prefix", "", "--output", kubeconfig]);
});
afterAll(() => undo.disposeAsync());

test("an agent without a token or a key serves kubectl, at the hub that it came to and at the other one", async () => {
  const direct = await cluster.kubectl(["get", "nodes", "-o", "name"]);
  const through = await cluster.kubectl(["get", "nodes", "-o", "name"], { kubeconfig });
  expect(through.stdout).toBe(direct.stdout);
  const [line] = await findLogLines(agent.logFile, "agent is connected");
  expect(line).toMatchObject({ cluster: "east" });
  await expect.poll(async () => (await requestHub(here, version)).status).toBe(200);
});

test("its link goes on when its next connection comes to the other hub, which then has the next link", async () => {
  hubs.agents.use([here.agentPort]);
  mesh.cut();
  const goesOn = async () => (await findLogLines(agent.logFile, "the link goes on with a new connection")).length > 0;
  expect(await waitUntil(goesOn, { timeoutMs: 30_000 })).toBe(true);
  const arrived = async () => (await findLogLines(here.logFile, "agent linked")).length > 0;
  expect(await waitUntil(arrived, { timeoutMs: 30_000 })).toBe(true);
  await expect.poll(async () => (await requestHub(there, version)).status).toBe(200);
});

test("a revocation at either hub cuts it off and keeps it out until it is let in again", async () => {
  await there.cli(["cluster", "revoke", "east"]);
  for (const hub of [there, here]) await expect.poll(async () => (await requestHub(hub, version)).status).toBe(503);
  const isRefused = async () => (await readFile(agent.logFile, "utf8")).includes("LINK_MESH_CLUSTER_REVOKED");
  expect(await waitUntil(isRefused, { timeoutMs: 30_000 })).toBe(true);
  const { stdout } = await there.cli(["cluster", "token", "create", "east"]);
  expect(stdout).toContain("there is no join token");
  const isBack = async () => (await requestHub(here, version)).status === 200;
  expect(await waitUntil(isBack, { timeoutMs: 60_000 })).toBe(true);
});

test("a workload of the mesh that is no cluster's agent here stays outside, and is on record", async () => {
  await using stranger = await startInMesh("elsewhere", { waitForLink: false });
  const isRefused = async () => (await readFile(stranger.logFile, "utf8")).includes("LINK_MESH_CLUSTER_UNKNOWN");
  expect(await waitUntil(isRefused, { timeoutMs: 30_000 })).toBe(true);
  const isRecorded = async (): Promise<boolean> => {
    const { items } = (await requestHub(here, "/api/v1/audit?limit=100")).json() as { items: { code?: string }[] };
    return items.some(({ code }) => code === "LINK_MESH_CLUSTER_UNKNOWN");
  };
  expect(await waitUntil(isRecorded, { timeoutMs: 30_000 })).toBe(true);
});

async function startInMesh(name: string, options: { readonly waitForLink?: boolean } = {}): Promise<TestAgent> {
  const hubUrl = await mesh.startSidecar({ cluster: name, role: "proxy" });
  return await startAgent({
    name,
    hubUrl,
    tokenFile: undefined,
    kubeconfig: agentKubeconfig,
    args: ["--identity", "mesh"],
    ...options,
  });
}

const version = "/k8s/clusters/east/version";
