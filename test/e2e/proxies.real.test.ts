// Agents that reach their hub through the proxies that companies have: Squid and Tinyproxy, as Debian builds them.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, reservePorts, startAgent, type TestAgent } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";
import { startSquid, type TestSquid } from "../fleet/start-squid.ts";
import { startTinyproxy } from "../fleet/start-tinyproxy.ts";

const hubName = "hub.fairlead.test";
const tunnel = /TCP_TUNNEL\/200 \d+ CONNECT hub\.fairlead\.test:\d+ agent /;
let fleet: Fleet;
let squid: TestSquid;
let hubUrl: string;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  const [port] = undo.use(await reservePorts(1)).ports;
  hubUrl = `https://${hubName}:${port}`;
  const args = ["--agent-public-url", hubUrl, "--agent-listen", `127.0.0.1:${port}`];
  fleet = undo.use(await startFleet({ hub: { args } }));
  squid = undo.use(await startSquid({ names: [hubName] }));
  await runPod(fleet, "hello");
});
afterAll(() => undo.disposeAsync());

test("an agent of a network that has no way out but Squid, with a password, serves requests and an exec", async () => {
  const proxy = `http://${squid.user}:${encodeURIComponent(squid.password)}@${squid.http.host}`;
  await using agent = await joinBy("behind-squid", { env: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8,.internal" } });
  await expectServed("behind-squid");
  // Squid writes a line for a tunnel when it ends.
  await agent.stop();
  await waitUntil(async () => tunnel.test(await squid.readLog()), { timeoutMs: 30_000 });
  expect(await squid.readLog()).toMatch(tunnel);
  expect(await readFile(agent.logFile, "utf8")).not.toContain(encodeURIComponent(squid.password));
});

test("a proxy that speaks TLS itself is trusted by --ca-file, and by nothing else", async () => {
  const proxy = `https://${squid.user}:${encodeURIComponent(squid.password)}@${squid.https.host}`;
  const env = { HTTPS_PROXY: proxy };
  await using refused = await joinBy("tls-proxy", { env, waitForLink: false });
  await waitUntil(async () => (await readFile(refused.logFile, "utf8")).includes("isn't trusted"), {
    timeoutMs: 30_000,
  });
  expect(await readFile(refused.logFile, "utf8")).toMatch(/LINK_PROXY_FAILED.*--ca-file/);
  await refused.stop();
  await using _agent = await joinBy("tls-proxy", { env, args: ["--ca-file", squid.caFile], isKnown: true });
  await expectServed("tls-proxy");
});

test("a wrong password is said as the proxy's refusal, and the agent goes on trying", async () => {
  const proxy = `http://${squid.user}:wr0ng@${squid.http.host}`;
  await using agent = await joinBy("no-password", { env: { HTTPS_PROXY: proxy }, waitForLink: false });
  const refusals = async () =>
    (await readFile(agent.logFile, "utf8")).split("\n").filter((line) => line.includes("LINK_PROXY_FAILED"));
  await waitUntil(async () => (await refusals()).length >= 2, { timeoutMs: 30_000 });
  expect((await refusals())[0]).toContain("407");
  expect(await readFile(agent.logFile, "utf8")).not.toContain("wr0ng");
  expect(agent.process.hasExited).toBe(false);
});

test("a proxy that was named counts for loopback too", async () => {
  await using tiny = await startTinyproxy();
  const own = `https://127.0.0.1:${fleet.hub.agentPort}`;
  const args = ["--proxy", tiny.url.href];
  await using agent = await joinBy("by-tinyproxy", { args, env: { NO_PROXY: "*" }, hubUrl: own });
  await expectServed("by-tinyproxy");
  expect(await tiny.readLog()).toContain(`CONNECT 127.0.0.1:${fleet.hub.agentPort}`);
  const connects = (await findLogLines(agent.logFile, "agent is connected")).length;
  expect(connects).toBe(1);
});

async function joinBy(
  name: string,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
    readonly waitForLink?: boolean;
    readonly hubUrl?: string;
    /** The cluster was added before. */
    readonly isKnown?: boolean;
  },
): Promise<TestAgent> {
  const { isKnown = false, hubUrl: url = hubUrl, ...rest } = options;
  const tokenFile = join(fleet.hub.dataDir, "..", `${name}.token`);
  if (!isKnown) await fleet.hub.cli(["cluster", "add", name, "--token-out", tokenFile]);
  return startAgent({ name, hubUrl: url, tokenFile, kubeconfig: fleet.agentKubeconfig, ...rest });
}

async function expectServed(name: string): Promise<void> {
  const server = ["--server", `${fleet.hub.url}/k8s/clusters/${name}`];
  const direct = await fleet.cluster.kubectl(["get", "nodes", "-o", "name"]);
  expect((await fleet.kubectl([...server, "get", "nodes", "-o", "name"])).stdout).toBe(direct.stdout);
  const { stdout } = await fleet.kubectl([...server, "exec", "hello", "--", "echo", "through"]);
  expect(stdout).toBe("through\n");
}
