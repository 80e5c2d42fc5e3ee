// Two hubs that reach their database through PgBouncer in transaction mode, as it comes, and know no other way to it.
import { readFile } from "node:fs/promises";
import { startHubs, startPgBouncer, type TestHub, type TestHubs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { create, pathOf, pod } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";

const undo = new AsyncDisposableStack();
let hubs: TestHubs;
let fleet: ObserveFleet;
let there: TestHub;
let here: TestHub;

beforeAll(async () => {
  hubs = undo.use(
    await startHubs({
      count: 2,
      databasePort: async (postgres) =>
        undo.use(await startPgBouncer(postgres, "transaction", { settings: ["default_pool_size = 6"] })).port,
    }),
  );
  [there, here] = hubs.hubs as [TestHub, TestHub];
  hubs.agents.use([there.agentPort]);
  fleet = undo.use(await startObserveFleet({ hub: hubs.behind }));
});
afterAll(() => undo.disposeAsync());

test("what is done at one is there at the other: requests, objects, rights and their end", async () => {
  const { cluster, namespace } = fleet;
  const path = `/k8s/clusters/east${pathOf("pods", namespace.name)}`;
  await expect.poll(async () => (await requestHub(here, path)).status).toBe(200);
  await create(cluster, pathOf("pods", namespace.name), pod("shown"));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  const listed = async () => {
    const answer = await requestHub(here, `/api/v1/objects?kind=pods&namespace=${namespace.name}`);
    return (answer.json() as { items: { name: string }[] }).items.map(({ name }) => name);
  };
  await expect.poll(listed).toEqual(["shown"]);
  const robot = await createRobot(there, { role: "viewer" });
  const asRobot = { authorization: `Bearer ${robot.token}` };
  await expect.poll(async () => (await requestHub(here, path, asRobot)).status).toBe(200);
  expect((await requestHub(there, `/api/v1/bindings/${robot.bindingId}`, { method: "DELETE" })).status).toBeLessThan(
    300,
  );
  await expect.poll(async () => (await requestHub(here, path, asRobot)).status).toBe(403);
  for (const { logFile } of hubs.hubs) expect(await readFile(logFile, "utf8")).toContain("BUS_DEAF");
  expect((await requestHub(there, "/readyz")).status).toBe(200);
});

test("one that is started again goes on", async () => {
  await here.stop("KILL");
  await here.start();
  const path = `/k8s/clusters/east${pathOf("pods", fleet.namespace.name)}`;
  await expect.poll(async () => (await requestHub(here, path)).status).toBe(200);
  expect((await requestHub(here, "/readyz")).status).toBe(200);
});
