// A request made a moment before a hub was killed is on record all the same.
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditList } from "@fairlead/contract";
import { startHub } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

test("a hub that is killed has the records of a moment before, in a whole chain", async () => {
  await using hub = await startHub();
  for (let index = 1; index <= 30; index += 1) {
    await requestHub(hub, "/k8s/clusters/nowhere/api/v1/pods", { headers: { "X-Request-Id": `req-${index}` } });
  }
  // Longer than records wait in memory, shorter than it takes until the database has them.
  await sleep(300);
  await hub.stop("KILL");
  await hub.start();

  const { items } = (await requestHub(hub, "/api/v1/audit?cluster=nowhere")).json() as AuditList;
  const expected = Array.from({ length: 30 }, (_, index) => `req-${30 - index}`);
  expect(items.map(({ requestId }) => requestId)).toEqual(expected);
  const { stdout } = await hub.cli(["audit", "verify", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true });
});
