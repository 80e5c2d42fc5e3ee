// From an empty hub to a whole copy of a cluster: how long it takes beside its two halves (listing the objects, storing
// them), what the agent holds, and what it costs to find out after a cut that nothing has changed.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { isReservedGroup } from "@fairlead/protocol";
import { Pool } from "undici";
import { askHub } from "../harness/hub-api.ts";
import { readOwnBytes, readOwnBytesIn, readResidentBytes } from "../harness/memory.ts";
import type { ObservedCluster } from "../harness/observed-cluster.ts";
import { runProgram } from "../harness/run-program.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { BenchKind } from "./objects.ts";
import type { InventoryStage } from "./stage.ts";

const mebibyte = 2 ** 20;
const settleMs = 15_000;

export type Counts = Readonly<Record<BenchKind, number>>;

export async function measureSmallAgent(options: { stage: InventoryStage; counts: Counts }): Promise<Row[]> {
  const { stage, counts } = options;
  await stage.fill(counts);
  await using small = await stage.join("small");
  await small.untilSynced();
  await delay(settleMs);
  const residentMiB = readResidentBytes(small.joined.agent.process.pid) / mebibyte;
  return [
    {
      name: `agent's memory at ${sum(counts)} objects`,
      unit: "MiB",
      figures: { fairlead: residentMiB },
      targets: [atMost(residentMiB, 110, "MiB")],
    },
  ];
}

export async function measureFirstSync(options: {
  stage: InventoryStage;
  counts: Counts;
  say: (text: string) => void;
}): Promise<{ observed: ObservedCluster; rows: Row[] }> {
  const { stage, counts, say } = options;
  const startedAt = performance.now();
  await stage.fill(counts);
  const filled = (performance.now() - startedAt) / 1000;
  say(`there are ${sum(counts)} objects after ${filled.toFixed(0)} s`);
  const observed = await stage.join("bench");
  const syncedAt = await observed.untilSynced();
  const syncSeconds = (syncedAt - (await observed.startedAt())) / 1000;
  const kinds = await listKinds(stage, observed.name);
  say(`first sync took ${syncSeconds.toFixed(1)} s; listing ${kinds.length} kinds plainly`);
  const listed = await listPlainly(stage, kinds);
  const listAgain = await listPlainly(stage, kinds);
  const listSeconds = Math.min(listed.seconds, listAgain.seconds);
  say("storing the same objects with nothing else running");
  const { seconds: storeSeconds } = await runProgram<{ seconds: number }>(
    "packages/hub/src/picture/inventory/insert-alone.fixture.ts",
    { url: stage.hub.url, caPem: stage.hub.caPem, token: stage.hub.adminToken, kinds: kinds.map(({ kind }) => kind) },
  );
  await delay(settleMs);
  const residentMiB = readResidentBytes(observed.joined.agent.process.pid) / mebibyte;
  const hubMiB = readOwnBytes(stage.hub.process.pid) / mebibyte;
  const databaseMiB = readOwnBytesIn(join(stage.hub.dataDir, "postgres")) / mebibyte;
  const ratio = syncSeconds / (listSeconds + storeSeconds);
  const rows: Row[] = [
    { name: `plain paged list of ${listed.objects} objects`, unit: "s", figures: { alone: listSeconds } },
    { name: "the hub's store takes them, from memory", unit: "s", figures: { alone: storeSeconds } },
    {
      name: "first full sync, from the agent's start",
      unit: "s",
      figures: { fairlead: syncSeconds },
      targets: [atMost(ratio, 1.5, "of list and store together")],
    },
    {
      name: `agent's memory at ${sum(counts)} objects`,
      unit: "MiB",
      figures: { fairlead: residentMiB },
      targets: [atMost(residentMiB, 150, "MiB")],
    },
    {
      name: `hub's memory with ${sum(counts)} objects (PSS)`,
      unit: "MiB",
      figures: { fairlead: hubMiB },
      targets: [atMost(hubMiB, 200, "MiB")],
    },
    {
      name: `its database's memory with ${sum(counts)} objects (PSS)`,
      unit: "MiB",
      figures: { fairlead: databaseMiB },
      targets: [atMost(databaseMiB, 250, "MiB")],
    },
  ];
  return { observed, rows };
}

/** The hub is killed and starts again, and nothing has changed meanwhile. (After a mere cut the link goes on as it was.) */
export async function measureResync(options: {
  stage: InventoryStage;
  observed: ObservedCluster;
  counts: Counts;
  times: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, observed, counts, times, say } = options;
  const seconds: number[] = [];
  const kibibytes: number[] = [];
  for (let time = 1; time <= times; time++) {
    say(`killing the hub, ${time} of ${times}, with nothing changed`);
    const before = await observed.connectedAt();
    await stage.hub.stop("KILL");
    const bytes = await observed.readMetric("fairlead_agent_link_bytes_total");
    await stage.hub.start();
    const isBack = async () => (await observed.connectedAt()) > before;
    if (!(await waitUntil(isBack, { timeoutMs: 60_000, intervalMs: 5 }))) throw new Error("the agent isn't back");
    const syncedAt = await observed.untilSynced();
    kibibytes.push(((await observed.readMetric("fairlead_agent_link_bytes_total")) - bytes) / 1024);
    seconds.push((syncedAt - (await observed.connectedAt())) / 1000);
    await delay(2_000);
  }
  const took = median(seconds);
  const moved = median(kibibytes);
  return [
    {
      name: `hub killed and started again, nothing changed at ${sum(counts)} objects: in step after the new link`,
      unit: "s",
      figures: { fairlead: took },
      targets: [atMost(took, 1, "s")],
    },
    {
      name: "what that moved over the link, both ways",
      unit: "KiB",
      figures: { fairlead: moved },
      targets: [atMost(moved, 64, "KiB")],
    },
  ];
}

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly objects: number;
}

/** Lists the kinds that the API server has. The agent derives the other kinds by itself. */
async function listKinds({ hub }: InventoryStage, cluster: string): Promise<Kind[]> {
  const { kinds } = await askHub<{ kinds: Kind[] }>(hub, `/api/v1/clusters/${cluster}/inventory`);
  return kinds.filter(({ apiVersion, objects }) => objects > 0 && !isReservedGroup(apiVersion.split("/")[0] ?? ""));
}

/** As a client would that wants all objects once: 500 to a page, parsed. */
async function listPlainly(stage: InventoryStage, kinds: readonly Kind[]) {
  const { url, caPem, token } = stage.api;
  await using undo = new AsyncDisposableStack();
  const pool = undo.adopt(new Pool(url, { connections: 1, allowH2: false, connect: { ca: caPem } }), (it) =>
    it.close(),
  );
  const headers = { authorization: `Bearer ${token}` };
  const startedAt = performance.now();
  let objects = 0;
  for (const { kind, apiVersion } of kinds) {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    let next = "";
    do {
      const path = `${root}/${kind.split(".")[0]}?limit=500&continue=${encodeURIComponent(next)}`;
      const { statusCode, body } = await pool.request({ method: "GET", path, headers });
      const page = (await body.json()) as { items: unknown[]; metadata: { continue?: string } };
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
      objects += page.items.length;
      next = page.metadata.continue ?? "";
    } while (next !== "");
  }
  return { objects, seconds: (performance.now() - startedAt) / 1000 };
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
