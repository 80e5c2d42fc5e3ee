// A hub on somebody else's PostgreSQL, which is killed while an agent reports, people ask and a link carries requests.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHub } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { password, startTcpServer } from "../../packages/hub/src/platform/store/database/tcp-server.fixture.ts";
import { create, pathOf, pod } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { startObserveFleet } from "../fleet/observe-fleet.ts";
import { requestHub } from "../fleet/request-hub.ts";

test("a hub whose database is away says so, keeps its links, tells what is stale and why, and goes on by itself", {
  timeout: 300_000,
}, async () => {
  await using undo = new AsyncDisposableStack();
  const stateDir = await mkdtemp(join(tmpdir(), "fairlead-hub-"));
  undo.defer(() => rm(stateDir, { recursive: true, force: true }));
  const database = undo.use(await startTcpServer());
  const urlFile = join(stateDir, "database-url");
  await writeFile(urlFile, database.url(), { mode: 0o600 });
  const hub = undo.use(await startHub({ stateDir, args: ["--database-url-file", urlFile] }));
  const fleet = undo.use(await startObserveFleet({ hub }));
  const { cluster, namespace } = fleet;
  await create(cluster, pathOf("pods", namespace.name), pod("before"));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  const listClusters = async () => {
    const answer = await requestHub(hub, "/api/v1/clusters");
    if (answer.status !== 200) return { state: String(answer.status), stateReason: answer.text };
    const [east] = (answer.json() as { items: { state: string; stateReason?: string }[] }).items;
    return east;
  };
  expect(await listClusters()).toMatchObject({ state: "connected" });

  await database.kill();
  await create(cluster, pathOf("pods", namespace.name), pod("meanwhile"));
  const asked = await requestHub(hub, "/api/v1/objects?kind=pods");
  expect(asked.status).toBe(503);
  expect(asked.json()).toMatchObject({ code: expect.stringMatching(/^STORE_(?:DOWN|FAILED)$/) });
  await expect.poll(async () => (await requestHub(hub, "/readyz")).status).toBe(503);
  expect((await requestHub(hub, "/healthz")).status).toBe(200);
  // The link carries requests all the while.
  const pods = await requestHub(hub, `/k8s/clusters/east${pathOf("pods", namespace.name)}`);
  expect(pods.status).toBe(200);
  expect(pods.text).toContain("meanwhile");
  await expect.poll(async () => (await listClusters())?.state, { timeout: 90_000, interval: 500 }).toBe("stale");
  // On a busy machine it is first stale because nothing was reported for a while.
  await expect
    .poll(async () => (await listClusters())?.stateReason, { timeout: 90_000, interval: 500 })
    .toMatch(/The hub can't store changes: The hub can't reach the database fairlead at/);

  await database.start();
  await compareWithApiServer(fleet, { namespace: namespace.name, timeoutMs: 120_000 });
  await fleet.waitForInventory(({ age: now }) => now.state === "connected");
  expect((await fleet.list({ kind: "pods", namespace: namespace.name })).map(({ name }) => name).sort()).toEqual([
    "before",
    "meanwhile",
  ]);
  await expect.poll(async () => (await requestHub(hub, "/readyz")).status).toBe(200);
  const log = await readFile(hub.logFile, "utf8");
  expect(log).toContain("the database can't be used; trying again");
  for (const secret of [password, encodeURIComponent(password)]) expect(log).not.toContain(secret);
});
