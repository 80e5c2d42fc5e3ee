// A namespace in which far more is told than anyone wants to read: what leaves the cluster is bounded, and its newest.
import { waitUntil } from "@fairlead/kernel/testing";
import { createNamespace, leaseCluster } from "@fairlead/testkit";
import { expect, test, vi } from "vitest";
import { configMap, create, pathOf } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { readResidentMiB } from "../fleet/memory.ts";
import { isAgentReady, readAgentMetric } from "../fleet/metrics.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

const events = 8_000;
/** More than are kept, and so is the rest, which comes while they are observed. */
const before = 6_000;
const quietPods = 1_000;
/** Every so many events is about the same pod. */
const loudEvery = 10;
const mostOfOnePod = 10;
/** The bound of all, and what is left when it was reached. */
const [mostOfAll, fewestOfAll] = [5_000, 4_750];
const mostMiB = 250;
const numbers = Array.from({ length: events }, (_, index) => index);

test("of 8,000 events the newest are kept, some of each object, and nothing else waits for them", {
  timeout: 300_000,
}, async () => {
  // A cluster of its own: others would share the flood, and their events would take part in the bounds.
  await using cluster = await leaseCluster({ name: "flooded" });
  await using namespace = await createNamespace(cluster);
  const startMs = Date.now() - events * 1_000;
  const all = numbers.map((number) => toEvent(number, { namespace: namespace.name, startMs }));
  await cluster.putObjects("events", all.slice(0, before), { isUnwatched: true });
  await using fleet = await startObserveFleet({ cluster });
  const { agent } = fleet.joined;
  await compareWithApiServer(fleet);
  const maps = pathOf("configmaps", namespace.name);
  await cluster.putObjects("events", all.slice(before));
  await create(cluster, maps, configMap("after-the-flood"));
  await compareWithApiServer(fleet);
  await untilNewest(fleet, namespace.name);
  // Each comes and goes once at most, and nothing is read again.
  expect(await readAgentMetric(agent, "fairlead_agent_inventory_sent_changes_total")).toBeLessThan(2 * events + 1_000);
  expect(await readAgentMetric(agent, "fairlead_agent_observed_objects")).toBeLessThan(mostOfAll + 1_000);
  expect(await readAgentMetric(agent, "fairlead_agent_inventory_fetched_objects_total")).toBeLessThan(1_000);
  expect(readResidentMiB(agent.process.pid)).toBeLessThan(mostMiB);

  // Another agent has to read all that there is, to find out that the hub has what it would keep.
  await agent.stop();
  await agent.start();
  await create(cluster, maps, configMap("after-the-restart"));
  await compareWithApiServer(fleet);
  await untilNewest(fleet, namespace.name);
  expect(await readAgentMetric(agent, "fairlead_agent_observe_objects_total")).toBeGreaterThanOrEqual(events);
  expect(await readAgentMetric(agent, "fairlead_agent_inventory_sent_changes_total")).toBeLessThan(1_000);
  expect(readResidentMiB(agent.process.pid)).toBeLessThan(mostMiB);
});

/** Newer events come before the older ones go, so that for a moment there may be more. */
async function untilNewest(fleet: ObserveFleet, namespace: string): Promise<void> {
  const { agent } = fleet.joined;
  // The hub's copy from an earlier agent is no answer.
  expect(await waitUntil(() => isAgentReady(agent), { timeoutMs: 90_000, intervalMs: 250 })).toBe(true);
  await vi.waitFor(() => expectNewest(fleet, namespace), { timeout: 60_000, interval: 500 });
}

/**
 * Expects the events that any agent keeps, in whatever order it was told of them; some that are a little older may
 * still be there.
 */
async function expectNewest({ list }: ObserveFleet, namespace: string): Promise<void> {
  const kept = await list({ kind: "events" });
  expect(kept.length).toBeLessThanOrEqual(mostOfAll);
  const told = kept.filter((event) => event.namespace === namespace).map(({ name }) => Number(name.split("-")[1]));
  expect(told.filter(isLoud).length).toBeLessThanOrEqual(mostOfOnePod);
  const held = new Set(told);
  const wanted = [...numbers.filter(isLoud).slice(-mostOfOnePod), ...numbers.filter((number) => !isLoud(number))]
    .sort((a, b) => b - a)
    // The cluster's own events are newer.
    .slice(0, fewestOfAll - (kept.length - told.length));
  expect(wanted.filter((number) => !held.has(number))).toEqual([]);
}

function isLoud(number: number): boolean {
  return number % loudEvery === 0;
}

/** A second apart, which is as exact as their times are. */
function toEvent(number: number, { namespace, startMs }: { namespace: string; startMs: number }) {
  const at = new Date(startMs + number * 1_000).toISOString().replace(/\.\d+Z/, "Z");
  const name = isLoud(number) ? "loud" : `quiet-${number % quietPods}`;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `event-${number}`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name },
    type: "Normal",
    reason: "Told",
    message: `for the ${number}th time`,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: "test" },
  };
}
