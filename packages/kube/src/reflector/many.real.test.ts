// Twenty thousand objects of one kind, and what it takes to know them.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { waitUntil } from "@fairlead/kernel/testing";
import { createNamespace, type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadKubeconfig } from "../access/kubeconfig.ts";
import { createKubeClient, type KubeClient } from "../client/client.ts";
import { listObjects } from "../read/list.ts";
import { configMaps, createBeliever, startReflector } from "./reflector.fixture.ts";
import { runReflector } from "./reflector.ts";

const count = 20_000;
const events = { ...configMaps, resource: "events", kind: "Event" };

let cluster: LeasedCluster;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  cluster = await leaseCluster({ name: "many" });
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  namespace = (await createNamespace(cluster)).name;
  const all = Array.from({ length: count }, (_, index) => event(`event-${index}`));
  await cluster.putObjects("events", all, { isUnwatched: true });
}, 600_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe.each([
  ["as a watch", true],
  ["by pages", false],
])("%s", (_name, isStreaming) => {
  it("every object is named once, and none is held that the handler doesn't hold", async () => {
    const seen = new Set<string>();
    const stop = new AbortController();
    let mostBytes = Number.NEGATIVE_INFINITY;
    // Memory that other tests left in this process doesn't count, and mustn't make room either.
    const before = await measureSettled();
    const listed = Promise.withResolvers<void>();
    const done = runReflector({
      client,
      resource: events,
      namespace,
      isStreaming,
      signal: stop.signal,
      handler: {
        onListStart: () => undefined,
        onObject({ metadata }) {
          expect(seen.has(metadata.uid)).toBe(false);
          seen.add(metadata.uid);
          if (seen.size % 2_000 === 0) mostBytes = Math.max(mostBytes, measureHeld() - before);
        },
        onListed: () => listed.resolve(),
        onApplied: () => undefined,
        onDeleted: () => undefined,
        onAlive: () => undefined,
        onState: () => undefined,
      },
    });
    await listed.promise;
    stop.abort();
    await done;
    expect(seen.size).toBe(count);
    // The list's JSON alone is more, and its objects take several times as much.
    expect(mostBytes).toBeLessThan(24e6);
  });
});

it("what changes while a paged list is read is known after it", async () => {
  const believer = createBeliever();
  await using _reflector = startReflector({ client, resource: events, namespace, believer, isStreaming: false });
  await waitUntil(async () => believer.objects.size > 1000, { timeoutMs: 60_000, intervalMs: 1 });
  expect(believer.lists).toEqual([]);
  await create("late");
  await client.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/events/event-7` });
  const isRight = () => {
    const names = new Set(believer.names());
    return names.size === count && names.has("late") && !names.has("event-7");
  };
  expect(await waitUntil(async () => isRight(), { timeoutMs: 60_000 })).toBe(true);
});

it("a look at all of them goes page by page", async () => {
  let sum = 0;
  const { signal } = new AbortController();
  for await (const page of listObjects({ client, resource: events, namespace, signal })) {
    expect(page.length).toBeLessThanOrEqual(500);
    sum += page.length;
  }
  expect(sum).toBe(count);
});

async function create(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/events`;
  await client.request({ method: "POST", path, body: event(name) });
}

function event(name: string) {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: { kind: "Pod", namespace, name: "pod", uid: "00000000-0000-0000-0000-000000000000" },
    reason: "Scheduled",
    message: `${name}: ${"a message of some length ".repeat(40)}`,
    type: "Normal",
  };
}

/** Connections and promises that are over let go of the last of what they held within a turn or two. */
async function measureSettled(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    measureHeld();
    await setImmediate();
  }
  return measureHeld();
}

/** Measures what is live, whenever V8 would collect by itself. */
function measureHeld(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
