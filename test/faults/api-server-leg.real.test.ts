// The way from the agent to its API server goes dead without a word: connections stay open and nothing passes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { type Cable, startAgent, startCable, type TestAgent } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FollowedCommand, followCommand } from "../fleet/follow-command.ts";
import { readAgentMetric } from "../fleet/metrics.ts";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let leg: Cable;
let agent: TestAgent;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet());
  await runPod(fleet, "hello");
  const direct = await readFile(fleet.agentKubeconfig, "utf8");
  const [, port] = /https:\/\/127\.0\.0\.1:(\d+)/.exec(direct) ?? [];
  leg = undo.use(await startCable({ to: { port: Number(port) } }));
  const kubeconfig = join(fleet.hub.dataDir, "..", "leg.kubeconfig");
  await writeFile(kubeconfig, direct.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${leg.port}`), { mode: 0o600 });
  const tokenFile = join(fleet.hub.dataDir, "..", "leg.token");
  await fleet.hub.cli(["cluster", "add", "leg", "--token-out", tokenFile]);
  const hubUrl = `https://127.0.0.1:${fleet.hub.agentPort}`;
  agent = undo.use(await startAgent({ name: "leg", hubUrl, tokenFile, kubeconfig }));
});
afterAll(() => undo.disposeAsync());

test("a silent watch and a silent command learn of a dead API server within 25 s, and the next ones work", async () => {
  await using watch = follow(["get", "configmaps", "--watch", "--output-watch-events"]);
  await using command = follow(["exec", "hello", "--", "sh", "-c", "echo begun; sleep 600"]);
  // The first lines come from a list, which a watch follows.
  await watch.waitFor(/ADDED/);
  await fleet.kubectl(["create", "configmap", "seen"]);
  await watch.waitFor(/ADDED\s+seen/);
  await command.waitFor(/begun/);
  const cutAt = performance.now();
  leg.blackhole();
  await Promise.all([watch.waitForExit(), command.waitForExit()]);
  // The promise is 25 s; what is on top is for a busy machine.
  expect(performance.now() - cutAt).toBeLessThan(32_000);
  expect(watch.output).toContain("can't go on");
  expect(command.exitCode).not.toBe(0);
  expect(await readAgentMetric(agent, "fairlead_agent_api_server_cut_connections_total")).toBeGreaterThanOrEqual(2);
  leg.heal();
  await waitUntil(async () => (await kubectl(["get", "configmaps"])).code === 0, { timeoutMs: 30_000 });
  expect((await kubectl(["exec", "hello", "--", "echo", "again"])).stdout).toBe("again\n");
});

test("nothing is cut while the API server answers", async () => {
  await using command = follow(["exec", "hello", "--", "sh", "-c", "while echo tick; do sleep 1; done"]);
  await command.waitFor(/tick/);
  const before = await readAgentMetric(agent, "fairlead_agent_api_server_cut_connections_total");
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(command.exitCode).toBeUndefined();
  expect(await readAgentMetric(agent, "fairlead_agent_api_server_cut_connections_total")).toBe(before);
});

function target(): string[] {
  return ["--namespace", fleet.namespace.name, "--server", `${fleet.hub.url}/k8s/clusters/leg`];
}

function follow(args: readonly string[]): FollowedCommand {
  const { cluster, kubeconfig } = fleet;
  return followCommand(cluster.kubectlPath, [...target(), ...args], cluster.kubectlEnv(kubeconfig));
}

function kubectl(args: readonly string[]): ReturnType<Fleet["kubectl"]> {
  return fleet.kubectl([...target(), ...args], { allowFailure: true });
}
