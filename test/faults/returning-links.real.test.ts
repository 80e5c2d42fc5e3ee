// Requests that come while a cluster's link is cut: they wait for it a little, and then say that asking again pays.
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("requests that come during a short cut are carried out, reads and writes", async () => {
  const { cable } = fleet.joined;
  cable.cut();
  // The hub must have noticed: requests that go out before are carried over by the link itself.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const reads = Array.from({ length: 10 }, () => requestHub(fleet.hub, `${base()}/configmaps`));
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "during-a-cut" } });
  const write = requestHub(fleet.hub, `${base()}/configmaps`, { method: "POST", body });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  cable.heal();
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
  expect((await write).status).toBe(201);
});

test("a request that waited in vain is told to come again, in time for clients that do", async () => {
  const { cable } = fleet.joined;
  cable.cut();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const startedMs = performance.now();
  const answer = await requestHub(fleet.hub, `${base()}/pods`);
  expect(performance.now() - startedMs).toBeGreaterThan(4_000);
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
  expect(answer.json()).toMatchObject({ kind: "Status", details: { causes: [{ reason: "PROXY_NOT_CONNECTED" }] } });
  cable.heal();
  const isBack = async () => (await requestHub(fleet.hub, `${base()}/pods`)).status === 200;
  expect(await waitUntil(isBack, { timeoutMs: 60_000 })).toBe(true);
});

function base(): string {
  return `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}`;
}
