// Agents that show nothing of their own: a mesh says to the hub who they are.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  createAgentKubeconfig,
  findLogLines,
  reservePorts,
  sharedCluster,
  startAgent,
  startHub,
  type TestAgent,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { startMesh, type TestMesh } from "../fleet/start-mesh.ts";

let cluster: ClusterAccess;
let hub: TestHub;
let mesh: TestMesh;
let agent: TestAgent;
let agentKubeconfig: string;
let kubeconfig: string;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  cluster = await sharedCluster();
  agentKubeconfig = await createAgentKubeconfig(cluster, "agent-in-mesh");
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: "/api/v1/namespaces/agent-in-mesh" })));
  const { ports } = undo.use(await reservePorts(1));
  mesh = undo.use(await startMesh({ hubPort: ports[0] ?? 0 }));
  hub = undo.use(
    await startHub({
      args: [
        ...["--agent-listen", `127.0.0.1:${ports[0]}`, "--mesh-identity-plaintext"],
        ...["--mesh-identity-header", "x-forwarded-client-cert", "--mesh-identity-pattern", mesh.pattern],
        ...["--mesh-identity-peers", "127.0.0.1"],
      ],
    }),
  );
  const { stdout } = await hub.cli(["cluster", "add", "east", "--role", "proxy"]);
  expect(stdout).toMatch(/fairlead-agent --hub http:\S+ --roles proxy --identity mesh\n/);
  agent = undo.use(await startInMesh("east"));
  kubeconfig = join(hub.dataDir, "..", "kubeconfig");
  await hub.cli(["kubeconfig", "east", "--context-prefix", "", "--output", kubeconfig]);
});
afterAll(() => undo.disposeAsync());

test("an agent without a token or a key serves kubectl, and its link goes on after a cut", async () => {
  const direct = await cluster.kubectl(["get", "nodes", "-o", "name"]);
  expect((await throughHub()).stdout).toBe(direct.stdout);
  const [line] = await findLogLines(agent.logFile, "agent is connected");
  expect(line).toMatchObject({ cluster: "east" });

  mesh.cut();
  await waitUntil(
    async () => (await findLogLines(agent.logFile, "the link goes on with a new connection")).length > 0,
    {
      timeoutMs: 30_000,
    },
  );
  expect((await throughHub()).stdout).toBe(direct.stdout);
});

test("a revocation cuts it off and keeps it out until it is let in again", async () => {
  await hub.cli(["cluster", "revoke", "east"]);
  expect((await requestHub(hub, "/k8s/clusters/east/version")).status).toBe(503);
  await waitUntil(async () => (await readFile(agent.logFile, "utf8")).includes("LINK_MESH_CLUSTER_REVOKED"), {
    timeoutMs: 30_000,
  });
  const { stdout } = await hub.cli(["cluster", "token", "east"]);
  expect(stdout).toContain("there is no join token");
  await waitUntil(async () => (await requestHub(hub, "/k8s/clusters/east/version")).status === 200, {
    timeoutMs: 60_000,
  });
});

test("a workload of the mesh that is no cluster's agent here stays outside, and is on record", async () => {
  await using stranger = await startInMesh("elsewhere", { waitForLink: false });
  await waitUntil(async () => (await readFile(stranger.logFile, "utf8")).includes("LINK_MESH_CLUSTER_UNKNOWN"), {
    timeoutMs: 30_000,
  });
  const isRecorded = async (): Promise<boolean> => {
    const { items } = (await requestHub(hub, "/api/v1/audit?limit=100")).json() as { items: { code?: string }[] };
    return items.some(({ code }) => code === "LINK_MESH_CLUSTER_UNKNOWN");
  };
  await waitUntil(isRecorded, { timeoutMs: 30_000 });
});

async function startInMesh(name: string, options: { readonly waitForLink?: boolean } = {}): Promise<TestAgent> {
  const hubUrl = await mesh.startSidecar({ cluster: name, role: "proxy" });
  return await startAgent({
    ...{ name, hubUrl, tokenFile: undefined, kubeconfig: agentKubeconfig, args: ["--identity", "mesh"] },
    ...options,
  });
}

function throughHub(): ReturnType<ClusterAccess["kubectl"]> {
  return cluster.kubectl(["get", "nodes", "-o", "name"], { kubeconfig });
}
