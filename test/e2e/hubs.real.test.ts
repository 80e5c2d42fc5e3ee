// Two hubs on one database, behind balancers that know nothing of them. The agent's link is at one of them, and people
// come to the other.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, startHubs, type TestHub, type TestHubs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FollowedCommand, followCommand } from "../fleet/follow-command.ts";
import { keepAsking } from "../fleet/keep-asking.ts";
import { openDownload } from "../fleet/open-download.ts";
import { runPod } from "../fleet/pods.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let hubs: TestHubs;
let fleet: Fleet;
/** It has the agent's link at first, and the other one. */
let there: TestHub;
let here: TestHub;

beforeAll(async () => {
  hubs = undo.use(await startHubs({ count: 2, isCabled: true }));
  [there, here] = hubs.hubs as [TestHub, TestHub];
  hubs.agents.use([there.agentPort]);
  fleet = undo.use(await startFleet({ at: hubs.behind, roles: ["proxy", "observe"] }));
  await runPod(fleet, "hello");
});
afterAll(() => undo.disposeAsync());

test("kubectl does at either hub what it does at the one that has the link", async () => {
  await expect.poll(async () => (await requestHub(here, configMaps())).status).toBe(200);
  const direct = await fleet.cluster.kubectl(["get", "nodes", "-o", "name"]);
  expect((await through(here, ["get", "nodes", "-o", "name"])).stdout).toBe(direct.stdout);
  for (const useWebSockets of ["true", "false"]) {
    const { stdout } = await through(here, ["exec", "-i", "hello", "--", "cat"], {
      env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: useWebSockets },
      input: "over two hubs\n",
    });
    expect(stdout).toBe("over two hubs\n");
  }
  const script = "head -c 20000000 /dev/zero | tr '\\0' x";
  const { stdout } = await through(here, ["exec", "hello", "--", "sh", "-c", script]);
  expect(createHash("sha256").update(stdout).digest("hex")).toBe(sumOf("x".repeat(20_000_000)));
  await using watch = follow(here, ["get", "configmaps", "--watch", "--output-watch-events"]);
  await watch.waitFor(/ADDED\s+kube-root-ca.crt/);
  await through(there, ["create", "configmap", "made-there"]);
  await watch.waitFor(/ADDED\s+made-there/);
  const missing = await requestHub(here, "/k8s/clusters/east/api/v1/namespaces/nowhere");
  expect(missing.json()).toMatchObject({ kind: "Status", reason: "NotFound" });
  for (const hub of [there, here]) {
    const [east] = ((await requestHub(hub, "/api/v1/clusters")).json() as { items: { state: string }[] }).items;
    expect(east?.state).toBe("connected");
  }
  const { stdout: table } = await here.cli(["hub", "list"]);
  const rows = table.trim().split("\n").slice(1);
  expect(rows.map((row) => row.split(/ {2,}/).slice(-3)).sort()).toEqual([
    ["0", "0", "answers"],
    ["1", "1", "yes"],
  ]);
});

test("each hub tells in its metrics that it is linked to the other", async () => {
  for (const hub of [there, here]) {
    const metrics = async () => (await requestHub(hub, "/metrics")).text;
    await expect.poll(metrics).toMatch(/^fairlead_hubs\{link="up"\} 1$/m);
  }
});

test("either hub answers about the cluster's objects, and says how old the answer is", async () => {
  const { name } = fleet.namespace;
  for (const hub of [there, here]) {
    const list = async () => {
      const answer = await requestHub(hub, `/api/v1/objects?kind=pods&namespace=${name}`);
      const { items, clusters } = answer.json() as { items: { name: string }[]; clusters: { state: string }[] };
      return { names: items.map((item) => item.name), states: clusters.map(({ state }) => state) };
    };
    await expect.poll(list).toEqual({ names: ["hello"], states: ["connected"] });
  }
});

test("a cut isn't seen by streams, although the agent's next connection comes to the other hub", async () => {
  const command = follow(here, ["exec", "hello", "--", "sh", "-c", ticks(12)]);
  await command.waitFor(/tick 2\b/);
  hubs.agents.use([here.agentPort]);
  fleet.joined.cable.cut();
  fleet.joined.cable.heal();
  expect(await command.waitForExit()).toBe(0);
  expect(command.output).toMatch(/^(tick \d+\r?\n){12}done\r?\n$/);
  // The next link is the other hub's own.
  const arrived = async () => (await findLogLines(here.logFile, "agent linked")).length > 0;
  expect(await waitUntil(arrived, { timeoutMs: 30_000 })).toBe(true);
  await expect.poll(async () => (await requestHub(there, configMaps())).status).toBe(200);
});

test("who loses a right at one hub loses the streams that it gave at the other", async () => {
  const robot = await createRobot(there, { role: "viewer" });
  const asRobot = { authorization: `Bearer ${robot.token}` };
  // Known at once, whichever hub has made it.
  await expect.poll(async () => (await requestHub(here, configMaps(), asRobot)).status).toBe(200);
  const watch = await openDownload({ ...here, adminToken: robot.token }, `${configMaps()}?watch=1`);
  watch.resume();
  await expect.poll(() => watch.receivedBytes).toBeGreaterThan(0);
  const removed = await requestHub(there, `/api/v1/bindings/${robot.bindingId}`, { method: "DELETE" });
  expect(removed.status).toBeLessThan(300);
  // Its last event says why.
  expect((await watch.ended).how).toBe("complete");
  expect((await requestHub(here, configMaps(), asRobot)).status).toBe(403);
});

test("nobody who asks again sees that a hub is killed, and its agents come to another", async () => {
  hubs.agents.use([there.agentPort, here.agentPort]);
  hubs.people.use([there.port]);
  const load = keepAsking({ ...there, port: hubs.people.port }, configMaps(), 8);
  await here.stop("KILL");
  const arrived = async () => (await findLogLines(there.logFile, "agent linked")).length > 1;
  expect(await waitUntil(arrived, { timeoutMs: 60_000 })).toBe(true);
  await expect.poll(async () => (await requestHub(there, configMaps())).status).toBe(200);
  const { asked, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(5);
  await here.start();
  await expect.poll(async () => (await requestHub(here, configMaps())).status).toBe(200);
});

test("a hub that is cut from the database sends its agents to one that isn't", async () => {
  const [cables] = hubs.cables;
  const arrivals = async (): Promise<number> => (await findLogLines(here.logFile, "agent linked")).length;
  const before = await arrivals();
  cables?.toDatabase.blackhole();
  expect(await waitUntil(async () => (await arrivals()) > before, { timeoutMs: 90_000 })).toBe(true);
  await expect.poll(async () => (await requestHub(here, configMaps())).status).toBe(200);
  cables?.toDatabase.heal();
  await expect.poll(async () => (await requestHub(there, configMaps())).status).toBe(200);
});

test("while the database is away all links stay, requests go on between hubs, and nobody is taken for dead after it", async () => {
  const joinsAndLinks = async () =>
    Promise.all(
      hubs.hubs.map(async ({ logFile }) => [
        (await findLogLines(logFile, "joined the other hubs")).length,
        (await findLogLines(logFile, "agent linked")).length,
      ]),
    );
  const asked = async (hub: TestHub, path: string) => (await requestHub(hub, path)).status;
  for (const hub of hubs.hubs) await expect.poll(() => asked(hub, "/readyz")).toBe(200);
  await using command = follow(there, ["exec", "hello", "--", "sh", "-c", ticks(14)]);
  await command.waitFor(/tick 2\b/);
  const before = await joinsAndLinks();

  await hubs.postgres.kill();
  const awaySince = performance.now();
  for (const hub of hubs.hubs) {
    await expect.poll(() => asked(hub, "/readyz")).toBe(503);
    expect(await asked(hub, configMaps())).toBe(200);
    const refused = await requestHub(hub, "/api/v1/robots", { method: "POST", body: '{"name":"meanwhile"}' });
    expect([refused.status, refused.json()]).toEqual([
      503,
      expect.objectContaining({ code: expect.stringMatching(/^(?:STORE|AUDIT)_/) }),
    ]);
  }
  // More than the silence by which hubs are taken for dead.
  await sleep(Math.max(0, 8_000 - (performance.now() - awaySince)));
  await hubs.postgres.start();

  for (const hub of hubs.hubs) {
    await expect.poll(() => asked(hub, "/readyz")).toBe(200);
    expect(await asked(hub, configMaps())).toBe(200);
  }
  expect(await command.waitForExit()).toBe(0);
  expect(command.output).toMatch(/^(tick \d+\r?\n){14}done\r?\n$/);
  expect(await joinsAndLinks()).toEqual(before);
});

test("a cluster that is revoked at one hub is cut off at the other", async () => {
  await using watch = follow(there, ["get", "configmaps", "--watch"]);
  await watch.waitFor(/kube-root-ca.crt/);
  const answer = await requestHub(here, "/api/v1/clusters/east/revoke", { method: "POST", body: "{}" });
  expect(answer.status).toBe(200);
  expect(await watch.waitForExit()).not.toBe(undefined);
  await expect.poll(async () => (await requestHub(there, configMaps())).status).toBe(503);
});

function through(hub: TestHub, args: readonly string[], options: Parameters<Fleet["kubectl"]>[1] = {}) {
  return fleet.kubectl([...server(hub), ...args], options);
}

function follow(hub: TestHub, args: readonly string[]): FollowedCommand {
  const { cluster, namespace, kubeconfig } = fleet;
  const all = ["--namespace", namespace.name, ...server(hub), ...args];
  return followCommand(cluster.kubectlPath, all, cluster.kubectlEnv(kubeconfig));
}

function server(hub: TestHub): readonly string[] {
  return ["--server", `${hub.url}/k8s/clusters/east`];
}

function configMaps(): string {
  return `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/configmaps`;
}

function ticks(count: number): string {
  return `for i in $(seq 1 ${count}); do echo tick $i; sleep 1; done; echo done`;
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
