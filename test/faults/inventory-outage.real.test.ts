// A long outage with much going on meanwhile: more than anybody keeps in memory, longer than a link is kept.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { StoredObject } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { doInParallel, pathOf, remove } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { readResidentMiB } from "../fleet/memory.ts";
import { startObserveFleet } from "../fleet/observe-fleet.ts";

test("10,000 changes and 500 deletes while the cable is cut for longer than a link is kept all arrive", {
  timeout: 300_000,
}, async () => {
  await using fleet = await startObserveFleet();
  const { cluster, joined, namespace } = fleet;
  const maps = pathOf("configmaps", namespace.name);
  const before = Array.from({ length: 500 }, (_, index) => toConfigMap(`before-${index}`, namespace.name));
  const meanwhile = Array.from({ length: 4_000 }, (_, index) => toConfigMap(`meanwhile-${index}`, namespace.name));
  await cluster.putObjects("configmaps", before);
  await compareWithApiServer(fleet, { namespace: namespace.name });
  joined.cable.cut();
  const cutMs = performance.now();
  await doInParallel(before, ({ metadata }) => remove(cluster, `${maps}/${metadata.name}`));
  const change = (map: StoredObject) => ({ ...map, data: { a: String(Math.random()) } });
  const changes = [...meanwhile, ...meanwhile.map(change), ...meanwhile.slice(0, 2_000).map(change)];
  for (let start = 0; start < changes.length; start += 100) {
    await cluster.putObjects("configmaps", changes.slice(start, start + 100));
    // No faster than an API server would take them: other tests watch it, too.
    await delay(200);
  }
  await delay(Math.max(0, resumeMs + 2_000 - (performance.now() - cutMs)));
  const { age } = await fleet.inventory();
  expect(age.state).not.toBe("connected");
  expect(age.ageMs).toBeGreaterThan(resumeMs);
  expect(readResidentMiB(joined.agent.process.pid)).toBeLessThan(300);
  joined.cable.heal();
  await compareWithApiServer(fleet, { namespace: namespace.name });
});

function toConfigMap(name: string, namespace: string): StoredObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, uid: randomUUID() } };
}

/** So long a link waits for its connections to come back. */
const resumeMs = 30_000;
