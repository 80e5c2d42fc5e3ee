// Two hubs, of which one stands still for a while, and whose PostgreSQL then fails over under them: first to a standby that
// has all that was acknowledged, then to one that lags.
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Balancer,
  findLogLines,
  type Postgres,
  programArgs,
  runCommand,
  type Standby,
  startBalancer,
  startCable,
  startHubs,
  startPostgres,
  type TestHub,
  type TestHubs,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create, pathOf, pod } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { keepAsking } from "../fleet/keep-asking.ts";
import { readMetric } from "../fleet/metrics.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";
import { openDownload } from "../fleet/open-download.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot, type TestRobot } from "../fleet/robots.ts";
import { type Watcher, watchPods } from "../fleet/watch-pods.ts";

/** The pause of clients that write all the time. They wait for an answer most of the time all the same. */
const pauseMs = 10;
const undo = new AsyncDisposableStack();
let primary: Postgres;
let standby: Standby;
/** The one that serves since. */
let serving: Postgres;
/** Where the hubs find the database that serves. */
let address: Balancer;
let hubs: TestHubs;
let fleet: ObserveFleet;

beforeAll(async () => {
  hubs = undo.use(
    await startHubs({
      count: 2,
      async databasePort(postgres) {
        primary = postgres;
        standby = undo.use(await primary.startStandby({ isSynchronous: true }));
        address = undo.use(await startBalancer({ ports: [primary.port] }));
        return address.port;
      },
    }),
  );
  hubs.agents.use([hubOf(0).agentPort]);
  fleet = undo.use(await startObserveFleet({ hub: hubs.behind }));
});
afterAll(() => undo.disposeAsync());

test("a hub that stood still takes nothing back from the one that took over, ends its streams with errors, and gets links again", {
  timeout: 300_000,
}, async () => {
  const [there, here] = [hubOf(0), hubOf(1)];
  const { name: namespace } = fleet.namespace;
  const held = await readLeases(await idOf(there));
  expect(held.length).toBeGreaterThan(0);
  const robot = await createRobot(here, { role: "viewer" });
  for (const hub of hubs.hubs) await expect.poll(() => askPods(hub, robot)).toBe(200);
  const watch = `/k8s/clusters/east${pathOf("pods", namespace)}?watch=1`;
  const [atThere, atHere] = await Promise.all([openDownload(there, watch), openDownload(here, watch)]);
  for (const stream of [atThere, atHere]) stream.resume();
  await create(fleet.cluster, pathOf("pods", namespace), pod("before-it-stood-still"));
  await using live: Watcher = await watchPods(here, namespace);
  await expect.poll(() => live.names()).toContain("before-it-stood-still");

  there.process.signal("STOP");
  hubs.agents.use([here.agentPort]);
  const questions = keepAsking(here, `/api/v1/objects?kind=pods&namespace=${namespace}`, 2);
  const proxied = keepAsking(here, watch.replace(/\?.*/, ""), 1);
  await expect.poll(async () => (await write(here, `meanwhile-${randomUUID()}`)).status).toBe(201);
  const isTaken = async (): Promise<boolean> => {
    const now = await readLeases(await idOf(here));
    return held.every(({ name, fence }) => now.some((lease) => lease.name === name && lease.fence > fence));
  };
  await expect.poll(isTaken).toBe(true);
  await expect.poll(() => askPods(here, robot)).toBe(200);
  await create(fleet.cluster, pathOf("pods", namespace), pod("while-it-stood-still"));
  await expect.poll(() => live.names()).toContain("while-it-stood-still");
  // Its last event says that it can't go on.
  expect((await atHere.ended).how).toBe("complete");
  const withdrawn = await requestHub(here, `/api/v1/bindings/${robot.bindingId}`, { method: "DELETE" });
  expect(withdrawn.status).toBeLessThan(300);

  there.process.signal("CONT");
  await expect.poll(() => askPods(there, robot)).toBe(403);
  expect(["broken", "complete"]).toContain((await atThere.ended).how);
  await expectReady();
  expect(await isTaken()).toBe(true);
  // People at the other hub: no question failed, and what was meant for the cluster was told to come again.
  expect((await questions.stop()).failures).toEqual([]);
  const { failures } = await proxied.stop();
  expect(failures.filter((failure) => !/ms: 503 .*"kind":"Status"/.test(failure))).toEqual([]);
  expect(live.errors).toEqual([]);

  const links = async (): Promise<number> => (await findLogLines(there.logFile, "agent linked")).length;
  const before = await links();
  hubs.agents.use([there.agentPort]);
  fleet.joined.cable.cut();
  fleet.joined.cable.heal();
  await expect.poll(links).toBeGreaterThan(before);
  await compareWithApiServer(fleet, { namespace });
});

test("to a synchronous standby nothing is lost that was acknowledged, and all begin anew with an alarm", {
  timeout: 180_000,
}, async () => {
  const acknowledged: string[] = [];
  const refused = new Set<string>();
  let isOver = false;
  const writers = hubs.hubs.map(async (hub, index) => {
    for (let number = 0; !isOver; number += 1) {
      const name = `writer-${index}-${number}`;
      const answer = await write(hub, name).catch(() => ({ status: 0, text: "" }));
      if (answer.status < 300 && answer.status > 0) acknowledged.push(name);
      else refused.add(`${answer.status} ${/"code":"(\w+)"/.exec(answer.text)?.[1] ?? answer.text}`);
      await delay(pauseMs);
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
  await primary.kill();
  const before = acknowledged.length;
  await standby.promote();
  address.use([standby.port]);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(writers);

  await expectReady();
  for (const hub of hubs.hubs) await expectRobots(hub, acknowledged);
  expect([...refused].filter((what) => !/^(?:0 |503 (?:STORE|AUDIT)_)/.test(what))).toEqual([]);
  await expectAlarms(1);
  await create(fleet.cluster, pathOf("pods", fleet.namespace.name), pod("after-the-first"));
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("to a standby that lags hubs forget what it doesn't know, go on with what it has, and get the picture again", {
  timeout: 180_000,
}, async () => {
  const replication = undo.use(await startCable({ to: { port: standby.port } }));
  const lagging = undo.use(await standby.startStandby({ port: replication.port }));
  // The server was started anew for that, and a hub may find out only by a write that fails.
  for (const hub of hubs.hubs)
    await expect.poll(async () => (await write(hub, `again-${randomUUID()}`)).status).toBe(201);
  const [there, here] = [hubOf(0), hubOf(1)];
  const kept = await createRobot(there, { role: "viewer" });
  for (const hub of hubs.hubs) await expect.poll(() => askPods(hub, kept)).toBe(200);
  await lagging.untilEven();

  await using watcher: Watcher = await watchPods(here, fleet.namespace.name);
  await expect.poll(() => watcher.names()).toContain("after-the-first");
  expect(watcher.resets).toBe(0);

  replication.blackhole();
  const lost = await createRobot(here, { role: "viewer" });
  for (const hub of hubs.hubs) await expect.poll(() => askPods(hub, lost)).toBe(200);
  await create(fleet.cluster, pathOf("pods", fleet.namespace.name), pod("told-to-the-lost-one"));
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  await standby.kill();
  await lagging.promote();
  address.use([lagging.port]);
  serving = lagging;

  await expectReady();
  await expectAlarms(2);
  for (const hub of hubs.hubs) {
    await expect.poll(async () => (await listRobots(hub)).has(lost.name.replace("robot:", ""))).toBe(false);
    await expect.poll(() => askPods(hub, lost)).toBe(401);
    await expect.poll(() => askPods(hub, kept)).toBe(200);
  }
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  await expect.poll(() => watcher.resets).toBe(1);
  expect(watcher.errors).toEqual(["LIVE_BEGIN_ANEW"]);
  await expect.poll(() => watcher.names()).toContain("told-to-the-lost-one");
  const verified = await requestHub(here, "/api/v1/audit/verify");
  expect(verified.text).toContain('"ok":true');
});

test("when the server is out of connections hubs say so with a code, and go on by themselves with all that was answered", {
  timeout: 180_000,
}, async () => {
  const acknowledged: string[] = [];
  const answers = new Set<string>();
  let isOver = false;
  const writers = hubs.hubs.map(async (hub, index) => {
    for (let number = 0; !isOver; number += 1) {
      const name = `pressed-${index}-${number}`;
      const answer = await write(hub, name);
      if (answer.status < 300) acknowledged.push(name);
      else answers.add(`${answer.status} ${(answer.json() as { code: string }).code}`);
      await delay(pauseMs);
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
  {
    await using _all = await serving.useUp();
    for (const hub of hubs.hubs) await expect.poll(async () => (await requestHub(hub, "/readyz")).status).toBe(503);
    await expect.poll(() => [...answers].some((answer) => answer.startsWith("503 STORE_"))).toBe(true);
  }
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 10);
  isOver = true;
  await Promise.all(writers);
  expect([...answers].filter((answer) => !/^503 (?:STORE|AUDIT)_/.test(answer))).toEqual([]);
  await expectReady();
  for (const hub of hubs.hubs) await expectRobots(hub, acknowledged);
});

test("after a restore a hub that ran on reads everything again, or ends and begins anew", {
  timeout: 240_000,
}, async () => {
  const [there, here] = [hubOf(0), hubOf(1)];
  const folder = await mkdtemp(join(tmpdir(), "fairlead-restored-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "backup");
  const before = await createRobot(here, { role: "viewer" });
  await runStore(["backup", "--to", file, "--data-dir", here.dataDir, "--database-url-file", urlFileOf(here)]);
  const since = await createRobot(here, { role: "viewer" });
  await here.stop();
  address.use([]);
  await serving.kill();

  const restored = undo.use(await startPostgres());
  for (const hub of hubs.hubs) await writeFile(urlFileOf(hub), restored.url({ port: address.port }));
  const scratch = join(folder, "restored");
  const direct = join(folder, "url");
  await writeFile(direct, restored.url());
  await runStore(["restore", "--from", file, "--data-dir", scratch, "--database-url-file", direct]);
  address.use([restored.port]);
  await here.start();
  await expect
    .poll(async () => there.process.hasExited || (await requestHub(there, "/readyz")).status === 200, {
      timeout: 60_000,
    })
    .toBe(true);
  if (there.process.hasExited) await there.start();
  await expectReady();
  for (const hub of hubs.hubs) {
    await expect.poll(() => askPods(hub, since)).toBe(401);
    await expect.poll(() => askPods(hub, before)).toBe(200);
    // Sign-ins of before are over.
    expect((await hub.cli(["cluster", "list"], { allowFailure: true })).code).not.toBe(0);
  }
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

async function runStore(args: readonly string[]): Promise<void> {
  await runCommand(process.execPath, [...programArgs("hub"), "store", ...args], {});
}

function urlFileOf({ dataDir }: TestHub): string {
  return join(dirname(dataDir), "database-url");
}

interface Lease {
  readonly name: string;
  readonly fence: number;
}

/** What only one hub may do, as far as it is this one. */
async function readLeases(hub: string): Promise<readonly Lease[]> {
  const rows = await primary.query(
    "select name, fence::float8 as fence from lease where holder = $1 and expires_at > clock_timestamp()",
    [hub],
  );
  return rows as Lease[];
}

/** By which the database knows it. */
async function idOf({ logFile }: TestHub): Promise<string> {
  const [joined] = await findLogLines(logFile, "joined the other hubs");
  return String(joined?.["hub"]);
}

async function askPods(hub: TestHub, { token }: TestRobot): Promise<number> {
  const pods = `/k8s/clusters/east${pathOf("pods", fleet.namespace.name)}`;
  return (await requestHub(hub, pods, { authorization: `Bearer ${token}` })).status;
}

/** Robots that the other hub has made are known here within a second or so. */
async function expectRobots(hub: TestHub, names: readonly string[]): Promise<void> {
  const missing = async (): Promise<string[]> => {
    const there = await listRobots(hub);
    return names.filter((name) => !there.has(name));
  };
  await expect.poll(missing).toEqual([]);
}

function hubOf(index: number): TestHub {
  return hubs.hubs[index] as TestHub;
}

function write(hub: TestHub, name: string): ReturnType<typeof requestHub> {
  return requestHub(hub, "/api/v1/robots", { method: "POST", body: JSON.stringify({ name }) });
}

async function listRobots(hub: TestHub): Promise<ReadonlySet<string>> {
  const { items } = (await requestHub(hub, "/api/v1/robots")).json() as { items: { name: string }[] };
  return new Set(items.map(({ name }) => name));
}

async function expectReady(): Promise<void> {
  for (const hub of hubs.hubs) await expect.poll(async () => (await requestHub(hub, "/readyz")).status).toBe(200);
}

async function expectAlarms(count: number): Promise<void> {
  for (const hub of hubs.hubs) {
    await expect.poll(() => readMetric(hub, "fairlead_database_went_back_total")).toBe(count);
    const log = await readFile(hub.logFile, "utf8");
    expect(log.split("ALARM: the database went back")).toHaveLength(count + 1);
  }
}
