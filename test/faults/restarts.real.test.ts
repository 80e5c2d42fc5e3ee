// Any process may be killed at any time; the others wait for it and go on, without a flag.
import { waitUntil } from "@fairlead/kernel/testing";
import { type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let cluster: LeasedCluster;
/** All is up again when a test ends. */
let fleet: Fleet;
beforeAll(async () => {
  cluster = await leaseCluster({ name: "mortal" });
  fleet = await startFleet({ cluster });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("a hub that is killed and started again has its agents back", async () => {
  await fleet.hub.stop("KILL");
  await fleet.hub.start();
  const start = performance.now();
  await expectServed();
  expect(performance.now() - start).toBeLessThan(15_000);
  const { stdout } = await fleet.hub.cli(["cluster", "list", "--json"]);
  expect(stdout).toContain('"connected"');
});

test("a hub that is told to stop ends in order, and keeps what it knew", async () => {
  expect(await fleet.hub.stop("TERM")).toEqual({ code: 0 });
  await fleet.hub.start();
  await expectServed();
  expect(await fleet.joined.agent.stop("TERM")).toEqual({ code: 0 });
  await fleet.joined.agent.start();
});

test("an API server that dies is a 502 or 503 Status meanwhile, and is served again when it is back", async () => {
  await cluster.apiServer.stop();
  const answer = await requestHub(fleet.hub, versionPath());
  expect([502, 503]).toContain(answer.status);
  expect(answer.json()).toMatchObject({ kind: "Status", status: "Failure" });
  await cluster.apiServer.start();
  await expectServed();
});

test("an agent that starts while its API server is down joins, says so, and serves it once it is up", async () => {
  await fleet.joined.agent.stop("TERM");
  await cluster.apiServer.stop();
  const starting = fleet.joined.agent.start();
  const isAsked = async () => (await requestHub(fleet.hub, versionPath())).headers["retry-after"] !== undefined;
  expect(await waitUntil(isAsked, { timeoutMs: 60_000 })).toBe(true);
  await cluster.apiServer.start();
  await starting;
  await expectServed();
});

async function expectServed(): Promise<void> {
  let last = 0;
  const isServed = async () => {
    last = await requestHub(fleet.hub, versionPath()).then(
      (answer) => answer.status,
      () => 0,
    );
    return last === 200;
  };
  await waitUntil(isServed, { timeoutMs: 60_000, intervalMs: 50 });
  expect(last).toBe(200);
}

function versionPath(): string {
  return `/k8s/clusters/${fleet.joined.name}/version`;
}
