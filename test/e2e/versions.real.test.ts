// Hubs of several versions on one PostgreSQL: those of now, and those to come, which are made of now's programs and one or
// two more migrations.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HubList } from "@fairlead/contract";
import {
  type Balancer,
  createAgentKubeconfig,
  findLogLines,
  joinCluster,
  type SignIn,
  type StartHubOptions,
  sharedCluster,
  startBalancer,
  startHub,
  startPostgres,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMigrations } from "../fleet/other-versions.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";

const undo = new AsyncDisposableStack();
let folder: string;
/** The flags of a hub that shares the database. */
let shared: readonly string[];
let agents: Balancer;
let now: TestHub;
let next: TestHub;
let signIn: SignIn;
/** The token of a robot. */
let authorization: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-versions-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = undo.use(await startPostgres());
  agents = undo.use(await startBalancer({ ports: [] }));
  const [url, key] = [join(folder, "url"), join(folder, "key")];
  await writeFile(url, postgres.url(), { mode: 0o600 });
  await writeFile(key, randomBytes(32).toString("base64"), { mode: 0o600 });
  shared = ["--database-url-file", url, "--key-encryption-key-file", key, "--hub-address", "127.0.0.1:0"];

  now = undo.use(await start("one", { args: shared }));
  agents.use([now.agentPort]);
  signIn = { adminToken: now.adminToken, caFingerprint: now.caFingerprint };
  await joinEast();
  authorization = `Bearer ${(await createRobot(now, { role: "viewer" })).token}`;
});
afterAll(() => undo.disposeAsync());

test("one of the next version comes beside one of now, and the one of now starts on the tables of the next", async () => {
  await expect.poll(() => askCluster(now)).toBe(200);
  const programs = await addMigrations(join(folder, "next"), [adding]);
  next = undo.use(await start("two", { programs, args: shared, signIn }));
  await expect.poll(() => askCluster(next)).toBe(200);
  await now.stop("KILL");
  await now.start();
  agents.use([now.agentPort, next.agentPort]);
  for (const hub of [now, next]) {
    await expect.poll(() => askCluster(hub)).toBe(200);
    await expect.poll(() => listReached(hub)).toEqual(["linked", "self"]);
  }
});

test("one of after next, which takes something away, doesn't come beside those, and they serve on", async () => {
  const programs = await addMigrations(join(folder, "after-next"), [adding, removing]);
  await expect(start("three", { programs, args: shared, signIn })).rejects.toThrow("STORE_HUBS_OLDER");
  for (const hub of [now, next]) expect(await askCluster(hub)).toBe(200);
});

test("one that stood still while a newer one took something away ends by itself when it wakes", async () => {
  await Promise.all([now.stop("KILL"), next.stop("KILL")]);
  await using here = new AsyncDisposableStack();
  const asleep = await start("five", { args: shared, signIn });
  here.defer(async () => {
    // It should have ended by itself.
    await Promise.allSettled([asleep[Symbol.asyncDispose]()]);
  });
  const [joined] = await findLogLines(asleep.logFile, "joined the other hubs");
  asleep.process.signal("STOP");
  const newest = here.use(await start("six", { programs: join(folder, "after-next"), args: shared, signIn }));
  const listIds = async () => (await listHubs(newest)).map(({ id }) => id);
  expect(await listIds()).not.toContain(joined?.["hub"]);

  asleep.process.signal("CONT");
  expect(await asleep.process.exited).toMatchObject({ code: 1 });
  expect(await readFile(asleep.logFile, "utf8")).toMatch(
    /STORE_NEWER.*this hub can't go on with its database; it ends/,
  );
  expect(await listIds()).not.toContain(joined?.["hub"]);
  // The way back is closed.
  await expect(start("five", { args: shared, signIn })).rejects.toThrow("STORE_NEWER");
});

const adding = {
  name: "0900-adding.sql",
  text: "alter table cluster add column note text;\nalter table hub add column note text not null default '';\n",
};
const removing = { name: "0901-removing.sql", text: "-- contract 0900\nalter table hub drop column note;\n" };

function start(name: string, options: StartHubOptions): Promise<TestHub> {
  return startHub({ stateDir: join(folder, name), ...options });
}

async function joinEast(): Promise<void> {
  const cluster = await sharedCluster();
  const namespace = `agent-${randomBytes(4).toString("hex")}`;
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` })));
  const kubeconfig = await createAgentKubeconfig(cluster, namespace);
  const hub = { ...now, agentPort: agents.port };
  undo.use(await joinCluster({ hub, name: "east", kubeconfig, roles: ["proxy"] }));
}

async function listReached(hub: TestHub): Promise<string[]> {
  return (await listHubs(hub)).map(({ reach }) => reach).sort();
}

async function listHubs(hub: TestHub): Promise<HubList["items"]> {
  return ((await requestHub(hub, "/api/v1/hubs")).json() as HubList).items;
}

async function askCluster(hub: TestHub): Promise<number> {
  return (await requestHub(hub, "/k8s/clusters/east/api/v1/namespaces", { authorization })).status;
}
