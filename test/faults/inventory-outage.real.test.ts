// A long outage with much going on meanwhile: more than anybody keeps in memory, longer than a link is kept.
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { configMap, create, doInParallel, patch, pathOf, remove } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { readResidentMiB } from "../fleet/memory.ts";
import { startObserveFleet } from "../fleet/observe-fleet.ts";

test("10,000 changes and 500 deletes while the cable is cut for longer than a link is kept all arrive", {
  timeout: 300_000,
}, async () => {
  await using fleet = await startObserveFleet();
  const { cluster, joined, namespace } = fleet;
  const maps = pathOf("configmaps", namespace.name);
  const names = Array.from({ length: 4_500 }, (_, index) => `many-${index}`);
  await doInParallel(names.slice(0, 500), (name) => create(cluster, maps, configMap(name)));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  joined.cable.cut();
  const cutMs = performance.now();
  await doInParallel(names.slice(0, 500), (name) => remove(cluster, `${maps}/${name}`));
  await doInParallel(names.slice(500), (name) => create(cluster, maps, configMap(name)));
  const patched = Array.from({ length: 6_000 }, (_, index) => names[500 + (index % 4_000)] ?? "");
  await doInParallel(patched, (name) => patch(cluster, `${maps}/${name}`, { data: { a: String(Math.random()) } }));
  await delay(Math.max(0, resumeMs + 2_000 - (performance.now() - cutMs)));
  const { age } = await fleet.inventory();
  expect(age.state).not.toBe("connected");
  expect(age.ageMs).toBeGreaterThan(resumeMs);
  expect(readResidentMiB(joined.agent.process.pid)).toBeLessThan(300);
  joined.cable.heal();
  await compareWithApiServer(fleet, { namespace: namespace.name });
});

/** So long a link waits for its connections to come back. */
const resumeMs = 30_000;
