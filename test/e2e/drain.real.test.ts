// Hubs, agents and certificates are replaced while clients go on: none of them sees a failed request.
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  findLogLines,
  type RunningProcess,
  reservePorts,
  startAgent,
  startProgram,
  type TestAgent,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FollowedCommand, followCommand } from "../fleet/follow-command.ts";
import { keepAsking } from "../fleet/keep-asking.ts";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";
import { startHaproxy } from "../fleet/start-haproxy.ts";

let fleet: Fleet;
let ports: readonly number[];
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  ports = undo.use(await reservePorts(6)).ports;
  const [people = 0, agents = 0, people1 = 0, agents1 = 0, people2 = 0, agents2 = 0] = ports;
  const hubs = [
    { people: people1, agents: agents1 },
    { people: people2, agents: agents2 },
  ];
  undo.use(await startHaproxy({ front: { people, agents }, hubs }));
  fleet = undo.use(await startFleet({ hub: { args: hubArgs(people1, agents1), lingers: true } }));
  await runPod(fleet, "hello");
});
afterAll(() => undo.disposeAsync());

test("agents are rolled out by twos and renew their certificates, and no client sees a failed request", async () => {
  const { agent } = fleet.joined;
  const load = keepAsking(fleet.hub, configMaps());
  await using first = follow(["exec", "hello", "--", "sh", "-c", ticks(12)]);
  await first.waitFor(/tick 1\b/);
  await using second = await startReplica();
  // The command goes on with the agent that it began with, until its end.
  await agent.stop();
  expect(await first.waitForExit()).toBe(0);
  expect(first.output).toMatch(/^(tick \d+\r?\n){12}done\r?\n$/);
  await agent.start();
  const renewed = async () => (await findLogLines(second.logFile, "the certificate was renewed")).length > 0;
  expect(await waitUntil(renewed, { timeoutMs: 90_000 })).toBe(true);
  await second.stop();
  await fleet.kubectl(["get", "configmaps"]);
  const { asked, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(100);
});

test("a hub gives way to the next one on the same data, and no client sees a failed request", async () => {
  const load = keepAsking(fleet.hub, configMaps());
  await using watch = follow(["get", "configmaps", "--watch", "--output-watch-events"]);
  await using command = follow(["exec", "hello", "--", "sh", "-c", ticks(15)]);
  await Promise.all([watch.waitFor(/ADDED/), command.waitFor(/tick 1\b/)]);

  await using next = await startNextHub();
  fleet.hub.process.signal("TERM");
  await waitUntil(async () => (await findLogLines(next.logFile, "hub is ready")).length === 1, { timeoutMs: 60_000 });
  const during = await Promise.all(Array.from({ length: 3 }, () => fleet.kubectl(["get", "configmaps", "-o", "name"])));
  for (const { stdout } of during) expect(stdout).toContain("configmap/kube-root-ca.crt");
  expect(await command.waitForExit()).toBe(0);
  expect(command.output).toMatch(/^(tick \d+\r?\n){15}done\r?\n$/);
  // kubectl shows the last event, which is of type ERROR.
  expect(await watch.waitForExit()).toBeDefined();
  expect(watch.output).toContain("the hub is stopping and ends its watches");
  expect((await fleet.hub.process.exited).code).toBe(0);
  const { asked, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(100);

  await waitUntil(async () => (await findLogLines(next.logFile, "took audit records of an earlier hub")).length > 0, {
    timeoutMs: 30_000,
  });
  const verified = await requestHub(fleet.hub, "/api/v1/audit/verify");
  expect(verified.json()).toMatchObject({ ok: true });
});

/** The replica is of the same Deployment, so it has the same identity. */
function startReplica(): Promise<TestAgent> {
  const { stateDir } = fleet.joined.agent;
  return startAgent({
    name: "east",
    hubUrl: `https://127.0.0.1:${ports[1]}`,
    tokenFile: join(stateDir, "token"),
    kubeconfig: fleet.agentKubeconfig,
    args: ["--state-dir", join(stateDir, "identity")],
  });
}

/** On the other ports, waiting for the first one's data. */
function startNextHub(): Promise<RunningProcess> {
  const [, , , , people = 0, agents = 0] = ports;
  const stateDir = join(fleet.hub.dataDir, "..");
  const logFile = join(stateDir, "next-hub.log");
  return startProgram("hub", {
    name: "next hub",
    args: ["--data-dir", fleet.hub.dataDir, ...hubArgs(people, agents), "--wait-for-store", "1m"],
    env: { HOME: stateDir },
    logFile,
    readyWhen: async () => (await findLogLines(logFile, waitingMessage)).length === 1,
    readyTimeoutMs: 60_000,
  });
}

const waitingMessage = "waiting for the store";

function hubArgs(people: number, agents: number): string[] {
  return [
    "--listen",
    `127.0.0.1:${people}`,
    "--agent-listen",
    `127.0.0.1:${agents}`,
    "--drain",
    "1m",
    "--certificate-ttl",
    "1m",
    "--public-url",
    `https://127.0.0.1:${ports[0]}`,
    "--agent-public-url",
    `https://127.0.0.1:${ports[1]}`,
  ];
}

function configMaps(): string {
  return `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/configmaps?limit=3`;
}

function ticks(count: number): string {
  return `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo tick $i; sleep 1; done; echo done`;
}

function follow(args: readonly string[]): FollowedCommand {
  const { cluster, kubeconfig, namespace } = fleet;
  return followCommand(cluster.kubectlPath, ["--namespace", namespace.name, ...args], cluster.kubectlEnv(kubeconfig));
}
