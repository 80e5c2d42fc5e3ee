// A hub behind nginx that ends TLS, for people and for agents: no client certificate gets through to the hub.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, startAgent, type TestAgent } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followCommand } from "../fleet/follow-command.ts";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";
import { prepareNginx, type TestNginx } from "../fleet/start-nginx.ts";

let fleet: Fleet;
let nginx: TestNginx;
let agent: TestAgent;
let behind: { readonly upstreamPorts: readonly number[]; readonly upstreamCaFile: string };
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  nginx = undo.use(await prepareNginx({ portCount: 2 }));
  fleet = undo.use(
    await startFleet({ hub: { args: ["--agent-trust", "challenge", "--trusted-proxies", "127.0.0.1"] } }),
  );
  const upstreamCaFile = join(fleet.hub.dataDir, "..", "hub-ca.pem");
  await writeFile(upstreamCaFile, fleet.hub.caPem);
  behind = { upstreamPorts: [fleet.hub.agentPort, fleet.hub.port], upstreamCaFile };
  await nginx.start(behind);
  await runPod(fleet, "hello");
  agent = undo.use(await startBehind("behind", ["--ca-file", nginx.caFile]));
});
afterAll(() => undo.disposeAsync());

test("an agent enrolls and links by a signed challenge, and kubectl works through the balancer on both sides", async () => {
  expect(await findLogLines(agent.logFile, "enrolled with the hub")).toHaveLength(1);
  const direct = await fleet.cluster.kubectl(["get", "nodes", "-o", "name"]);
  expect((await through(["get", "nodes", "-o", "name"])).stdout).toBe(direct.stdout);
  for (const useWebSockets of ["true", "false"]) {
    const { stdout } = await fleet.kubectl([...target(), "exec", "hello", "--", "echo", "through"], {
      env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: useWebSockets },
    });
    expect(stdout).toBe("through\n");
  }
  const log = { namespace: fleet.namespace.name, pod: "hello", container: "main" };
  await fleet.cluster.writeLog({ ...log, text: "one line\n" });
  await using logs = followCommand(
    fleet.cluster.kubectlPath,
    ["--namespace", fleet.namespace.name, ...target(), "logs", "-f", "hello"],
    fleet.cluster.kubectlEnv(fleet.kubeconfig),
  );
  await logs.waitFor(/one line/);
  await fleet.cluster.writeLog({ ...log, text: "two lines\n" });
  await logs.waitFor(/two lines/);
});

test("a command survives the balancer's restart, because each connection brings a proof of its own", async () => {
  // Straight to the hub: only the agent's side is cut.
  const server = ["--server", `${fleet.hub.url}/k8s/clusters/behind`];
  const script = "for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 1; done; echo done";
  await using command = followCommand(
    fleet.cluster.kubectlPath,
    ["--namespace", fleet.namespace.name, ...server, "exec", "hello", "--", "sh", "-c", script],
    fleet.cluster.kubectlEnv(fleet.kubeconfig),
  );
  await command.waitFor(/tick 2/);
  await nginx.kill();
  await nginx.start(behind);
  expect(await command.waitForExit()).toBe(0);
  expect(command.output).toMatch(/^(tick \d\r?\n){8}done\r?\n$/);
});

test("the record of a request says from where it came to the balancer, not to the hub", async () => {
  const path = `/k8s/clusters/behind/api/v1/namespaces/${fleet.namespace.name}/configmaps`;
  const headers = { "x-forwarded-for": "203.0.113.5", "x-request-id": "through-the-balancer" };
  const port = nginx.ports[1] ?? 0;
  const balanced = { ...fleet.hub, port, caPem: await readFile(nginx.caFile, "utf8") };
  expect((await requestHub(balanced, path, { headers })).status).toBe(200);
  const findRecord = async () => {
    const answer = await requestHub(fleet.hub, "/api/v1/audit?cluster=behind&limit=100");
    const { items } = answer.json() as { items: readonly { requestId: string; from: string }[] };
    return items.find(({ requestId }) => requestId === "through-the-balancer");
  };
  await waitUntil(async () => (await findRecord()) !== undefined, { timeoutMs: 30_000 });
  expect(await findRecord()).toMatchObject({ from: "203.0.113.5" });
});

test("an agent that wasn't told the balancer's CA keeps its token to itself", async () => {
  const refused = startBehind("untold", [], { waitForLink: false });
  await using untold = await refused;
  await waitUntil(() => untold.process.hasExited, { timeoutMs: 30_000 });
  expect(await readFile(untold.logFile, "utf8")).toMatch(/ENROLL_CA_MISMATCH/);
});

test("an agent that can show its certificate still links without a challenge, and nobody with nothing at all", async () => {
  expect((await fleet.kubectl(["get", "nodes", "-o", "name"])).stdout).not.toBe("");
  const refusals = await findLogLines(fleet.hub.logFile, "link refused");
  const codes = new Set(refusals.map(({ err }) => (err as { code?: string }).code));
  expect([...codes]).toEqual(["LINK_PROOF_REQUIRED"]);
});

async function startBehind(
  name: string,
  args: readonly string[],
  options: { readonly waitForLink?: boolean } = {},
): Promise<TestAgent> {
  const tokenFile = join(fleet.hub.dataDir, "..", `${name}.token`);
  await fleet.hub.cli(["cluster", "add", name, "--token-out", tokenFile]);
  const hubUrl = `https://127.0.0.1:${nginx.ports[0]}`;
  return startAgent({ name, hubUrl, tokenFile, kubeconfig: fleet.agentKubeconfig, args, ...options });
}

function target(): string[] {
  return [
    "--server",
    `https://127.0.0.1:${nginx.ports[1]}/k8s/clusters/behind`,
    "--certificate-authority",
    nginx.caFile,
  ];
}

function through(args: readonly string[]): ReturnType<Fleet["kubectl"]> {
  return fleet.kubectl([...target(), ...args]);
}
