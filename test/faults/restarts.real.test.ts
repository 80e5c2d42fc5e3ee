// Any process may be killed at any time; the others wait for it and go on, without a flag.
import { waitUntil } from "@fairlead/kernel/testing";
import { startCluster } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

test("a hub that is killed and started again has its agents back", async () => {
  await using fleet = await startFleet();
  await fleet.hub.stop("KILL");
  await fleet.hub.start();
  const start = performance.now();
  await expectServed(fleet);
  expect(performance.now() - start).toBeLessThan(15_000);
  const { stdout } = await fleet.hub.cli(["cluster", "list", "--json"]);
  expect(stdout).toContain('"connected"');
});

test("a hub that is told to stop ends in order, and keeps what it knew", async () => {
  await using fleet = await startFleet();
  expect(await fleet.hub.stop("TERM")).toEqual({ code: 0 });
  await fleet.hub.start();
  await expectServed(fleet);
  expect(await fleet.joined.agent.stop("TERM")).toEqual({ code: 0 });
});

test("an API server that dies is a 502 or 503 Status meanwhile, and is served again when it is back", async () => {
  await using cluster = await startCluster({ name: "mortal" });
  await using fleet = await startFleet({ cluster });
  await cluster.apiServer.stop();
  const answer = await requestHub(fleet.hub, versionPath(fleet));
  expect([502, 503]).toContain(answer.status);
  expect(answer.json()).toMatchObject({ kind: "Status", status: "Failure" });
  await cluster.apiServer.start();
  await expectServed(fleet);
});

test("an agent that starts while its API server is down joins, says so, and serves it once it is up", async () => {
  await using cluster = await startCluster({ name: "late" });
  await using fleet = await startFleet({ cluster });
  await fleet.joined.agent.stop("TERM");
  await cluster.apiServer.stop();
  const starting = fleet.joined.agent.start();
  const isAsked = async () => (await requestHub(fleet.hub, versionPath(fleet))).headers["retry-after"] !== undefined;
  expect(await waitUntil(isAsked, { timeoutMs: 60_000 })).toBe(true);
  await cluster.apiServer.start();
  await starting;
  await expectServed(fleet);
});

async function expectServed(fleet: Fleet): Promise<void> {
  let last = 0;
  const isServed = async () => {
    last = await requestHub(fleet.hub, versionPath(fleet)).then(
      (answer) => answer.status,
      () => 0,
    );
    return last === 200;
  };
  await waitUntil(isServed, { timeoutMs: 60_000, intervalMs: 50 });
  expect(last).toBe(200);
}

function versionPath(fleet: Fleet): string {
  return `/k8s/clusters/${fleet.joined.name}/version`;
}
