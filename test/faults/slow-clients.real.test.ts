// Clients that stop reading, or go away, cost the hub nothing that lasts and hold up nobody else.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BulkPod, startBulkPod } from "../fleet/bulk-pod.ts";
import { readResidentMiB } from "../fleet/memory.ts";
import { readMetric } from "../fleet/metrics.ts";
import { openDownload } from "../fleet/open-download.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const mebibyte = 2 ** 20;
const logBytes = 128 * mebibyte;
/** Garbage is collected soon, so that what stays is what is held. */
const smallHeap = { hub: smallHeapOf(128), agent: smallHeapOf(128) };
let fleet: Fleet;
let pod: BulkPod;

beforeAll(async () => {
  fleet = await startFleet({ hub: { env: smallHeap.hub }, agentEnv: smallHeap.agent });
  pod = await startBulkPod(fleet);
});
afterAll(async () => {
  await pod?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

test("a client that stops reading a log of 128 MiB grows neither hub nor agent, and gets the rest when it goes on", async () => {
  const { cluster, namespace, joined } = fleet;
  const text = `${"x".repeat(1023)}\n`.repeat(16 * 1024);
  for (let written = 0; written < logBytes; written += text.length) {
    await cluster.writeLog({ namespace: namespace.name, pod: "bulk", container: "main", text });
  }
  const path = `/k8s/clusters/${joined.name}/api/v1/namespaces/${namespace.name}/pods/bulk/log`;
  const log = await openDownload(fleet.hub, path);
  log.resume();
  await waitUntil(() => log.receivedBytes > 16 * mebibyte, { timeoutMs: 60_000 });
  log.pause();
  await delay(1000);
  const before = readMemory();
  for (let i = 0; i < 20; i++) {
    await delay(200);
    expect((await requestHub(fleet.hub, `/k8s/clusters/${joined.name}/version`)).status).toBe(200);
  }
  const after = readMemory();
  expect(log.receivedBytes).toBeLessThan(logBytes / 2);
  expect(after.hub - before.hub).toBeLessThan(64);
  expect(after.agent - before.agent).toBeLessThan(64);
  log.resume();
  expect(await log.ended).toEqual({ how: "complete" });
  expect(log.receivedBytes).toBe(logBytes);
});

// Each holds some MiB of the kernel's on its way here, which has a bound for all connections of a machine (tcp_mem). With
// three times as many the kernel resets connections of other tests.
test("100 clients that stop reading delay nobody else", async () => {
  const stalled = [];
  for (let i = 0; i < 100; i++) stalled.push(await openDownload(fleet.hub, pod.download(16 * mebibyte)));
  const path = `/k8s/clusters/${fleet.joined.name}/api/v1/namespaces/${fleet.namespace.name}/configmaps`;
  for (let i = 0; i < 100; i++) expect((await requestHub(fleet.hub, path)).status).toBe(200);
  const busy = await openDownload(fleet.hub, pod.download(32 * mebibyte));
  busy.resume();
  expect(await busy.ended).toEqual({ how: "complete" });
  expect(stalled.every((download) => download.receivedBytes < 16 * mebibyte)).toBe(true);
  for (const download of stalled) download.abort();
  await expectNoStreams();
});

test("1,000 aborted requests leave no stream and no memory behind", { timeout: 400_000 }, async () => {
  const path = `/k8s/clusters/${fleet.joined.name}/api/v1/namespaces/${fleet.namespace.name}/configmaps?watch=true`;
  // The heap takes the size that such a storm needs; what counts is that a longer one doesn't need more.
  await abortMany(path, 500);
  await expectNoStreams();
  const before = readMemory();
  await abortMany(path, 1_000);
  await expectNoStreams();
  const after = readMemory();
  expect(after.hub - before.hub).toBeLessThan(48);
  expect(after.agent - before.agent).toBeLessThan(48);
  expect((await requestHub(fleet.hub, `/k8s/clusters/${fleet.joined.name}/version`)).status).toBe(200);
});

async function abortMany(path: string, count: number): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (left-- > 0) {
        const watch = await openDownload(fleet.hub, path);
        watch.abort();
        await watch.ended;
      }
    }),
  );
}

async function expectNoStreams(): Promise<void> {
  const countStreams = () => readMetric(fleet.hub, "fairlead_link_streams");
  await waitUntil(async () => (await countStreams()) === 0, { timeoutMs: 30_000 });
  expect(await countStreams()).toBe(0);
}

function readMemory(): { hub: number; agent: number } {
  return { hub: readResidentMiB(fleet.hub.process.pid), agent: readResidentMiB(fleet.joined.agent.process.pid) };
}

function smallHeapOf(oldSpaceMiB: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--max-old-space-size=${oldSpaceMiB} --max-semi-space-size=1` };
}
