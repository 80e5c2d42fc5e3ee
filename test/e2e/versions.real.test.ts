// Hubs of several versions on one PostgreSQL: one of before hubs shared a database, those of now, and those to come, which
// are made of now's sources and a migration more.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Balancer,
  createAgentKubeconfig,
  joinCluster,
  type Postgres,
  type StartHubOptions,
  sharedCluster,
  startBalancer,
  startHub,
  startPostgres,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMigrations, checkOut } from "../fleet/other-versions.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";

/** The last one that takes its database for itself. */
const alone = "3186ea6513bcd95b7dcdfaff71848c4c411642f9";

const undo = new AsyncDisposableStack();
let folder: string;
let postgres: Postgres;
let agents: Balancer;
/** The flags of a hub with the database for itself, and of one that shares it. */
let own: readonly string[];
let shared: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-versions-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  postgres = undo.use(await startPostgres());
  agents = undo.use(await startBalancer({ ports: [] }));
  const [url, key] = [join(folder, "url"), join(folder, "key")];
  await writeFile(url, postgres.url(), { mode: 0o600 });
  await writeFile(key, randomBytes(32).toString("base64"), { mode: 0o600 });
  own = ["--database-url-file", url];
  shared = [...own, "--key-encryption-key-file", key, "--hub-address", "127.0.0.1:0"];
});
afterAll(() => undo.disposeAsync());

test("a hub of before hubs shared a database has it for itself, and one of now takes all over when it has stopped", async ({
  skip,
}) => {
  const before = await checkOut(alone, join(folder, "before"));
  if (before === undefined) return skip(`git has no commit ${alone} here`);
  const first = undo.use(await start("one", { sources: before, args: own }));
  agents.use([first.agentPort]);
  await using cleanup = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  const namespace = `agent-${randomBytes(4).toString("hex")}`;
  cleanup.defer(
    async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` })),
  );
  const kubeconfig = await createAgentKubeconfig(cluster, namespace);
  const hub = { ...first, agentPort: agents.port };
  cleanup.use(await joinCluster({ ...{ hub, name: "east", kubeconfig }, roles: ["proxy"], agentSources: before }));
  const robot = await createRobot(first, { role: "viewer" });
  const asRobot = { authorization: `Bearer ${robot.token}` };
  await expect.poll(() => askCluster(first, asRobot)).toBe(200);

  await expect(start("two", { args: shared })).rejects.toThrow("STORE_LOCKED");
  expect(await askCluster(first, asRobot)).toBe(200);
  await first.stop();
  const { adminToken, caFingerprint } = first;
  const signIn = { adminToken, caFingerprint };
  const now = cleanup.use(await start("one", { args: shared, signIn }));
  agents.use([now.agentPort]);
  // The agent of before, with the identity and the right that were given then.
  await expect.poll(() => askCluster(now, asRobot)).toBe(200);
  expect((await now.cli(["audit", "verify"])).stdout).toMatch(/^first .* whole .*\nchain_.* whole .*\n$/m);

  const sources = await addMigrations(join(folder, "next"), { [adding.name]: adding.text });
  const next = cleanup.use(await start("two", { sources, args: shared, signIn }));
  await expect.poll(() => askCluster(next, asRobot)).toBe(200);
  await now.stop("KILL");
  await now.start();
  agents.use([now.agentPort, next.agentPort]);
  for (const each of [now, next]) {
    await expect.poll(() => askCluster(each, asRobot)).toBe(200);
    const reached = async () => (await each.cli(["hubs"])).stdout.match(/\b(answers|yes|no)$/gm)?.sort();
    await expect.poll(reached).toEqual(["answers", "yes"]);
  }

  const root = join(folder, "after-next");
  const afterNext = await addMigrations(root, { [adding.name]: adding.text, [removing.name]: removing.text });
  const [tooNew, tooOld] = await Promise.allSettled([
    start("three", { sources: afterNext, args: shared, signIn }),
    start("four", { sources: before, args: own }),
  ]);
  expect(String((tooNew as PromiseRejectedResult).reason)).toMatch(/STORE_HUBS_OLDER/);
  expect(String((tooOld as PromiseRejectedResult).reason)).toMatch(/STORE_LOCKED/);
  for (const each of [now, next]) expect(await askCluster(each, asRobot)).toBe(200);

  for (const each of [now, next]) await each.stop();
  await expect(start("one", { sources: before, args: own })).rejects.toThrow("STORE_NEWER");
});

const adding = {
  name: "0900-adding.sql",
  text: "alter table cluster add column note text;\nalter table hub add column note text not null default '';\n",
};
const removing = { name: "0901-removing.sql", text: "-- contract 0900\nalter table hub drop column note;\n" };

function start(name: string, options: StartHubOptions): Promise<TestHub> {
  return startHub({ stateDir: join(folder, name), ...options });
}

async function askCluster(hub: TestHub, options: { readonly authorization: string }): Promise<number> {
  return (await requestHub(hub, "/k8s/clusters/east/api/v1/namespaces", options)).status;
}
