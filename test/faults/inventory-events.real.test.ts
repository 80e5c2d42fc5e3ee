// A namespace in which far more is told than anyone wants to read: what leaves the cluster is bounded, and its newest.
import { expect, test } from "vitest";
import { configMap, create, doInParallel, pathOf } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { readResidentMiB } from "../fleet/memory.ts";
import { startObserveFleet } from "../fleet/observe-fleet.ts";

const objects = 600;
const eachTimes = 12;

test("of thousands of events the newest are kept, some of each object, and nothing else waits for them", {
  timeout: 300_000,
}, async () => {
  await using fleet = await startObserveFleet();
  const { cluster, namespace, joined } = fleet;
  const path = pathOf("events", namespace.name);
  await compareWithApiServer(fleet, { namespace: namespace.name });
  const startMs = Date.now() - objects * eachTimes * 10;
  const numbers = Array.from({ length: objects * eachTimes }, (_, index) => index);
  const make = (index: number) =>
    create(cluster, path, toEvent(index, { namespace: namespace.name, atMs: startMs + index * 10 }));
  await doInParallel(numbers, make);
  await create(cluster, pathOf("configmaps", namespace.name), configMap("after-the-flood"));
  await compareWithApiServer(fleet, { namespace: namespace.name });

  const kept = await fleet.list({ kind: "events", namespace: namespace.name });
  expect(kept.length).toBeLessThanOrEqual(5_000);
  expect(kept.length).toBeGreaterThan(4_500);
  const told = Map.groupBy(kept, ({ object }) => (object as { involvedObject: { name: string } }).involvedObject.name);
  expect(Math.max(...[...told.values()].map(({ length }) => length))).toBeLessThanOrEqual(10);
  // The last round of all objects is newer than anything else.
  const names = new Set(kept.map(({ name }) => name));
  const newest = numbers.slice(-objects).map(toName);
  expect(newest.filter((name) => !names.has(name))).toEqual([]);
  expect(readResidentMiB(joined.agent.process.pid)).toBeLessThan(300);
});

/** Round after round, one of each object. */
function toEvent(index: number, { namespace, atMs }: { namespace: string; atMs: number }): object {
  const at = new Date(Math.floor(atMs / 1000) * 1000).toISOString().replace(".000", "");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: toName(index), namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name: `pod-${index % objects}` },
    ...{ type: "Normal", reason: "Told", message: `for the ${index}th time`, count: 1 },
    ...{ firstTimestamp: at, lastTimestamp: at, source: { component: "test" } },
  };
}

function toName(index: number): string {
  return `event-${index}`;
}
