// Subscribers at any hub end with what the table has, wherever agents report, whatever becomes of hints, and wherever the
// subscribers come back.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { array, asyncProperty, assert as check, constant, constantFrom, integer, oneof, record } from "fast-check";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "../../people/access/index.ts";
import { applied, type FakeAgent, pod, pods } from "../inventory/inventory.fixture.ts";
import { openSeveralHubs, type SeveralHubs, type SharingHub } from "../inventory/several-hubs.fixture.ts";
import { openObjects } from "../objects/index.ts";
import { Follower } from "./follower.fixture.ts";
import { createLive } from "./index.ts";
import { noRuns } from "./no-runs.fixture.ts";

const poll = { timeout: 60_000, interval: 20 };
const anybody: Principal = { kind: "user", name: "anybody", uid: "anybody", groups: [] };
let harness: SeveralHubs;
let ports: number[];
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  harness = undo.use(await openSeveralHubs());
  ports = await Promise.all(harness.hubs.map(serve));
}, 60_000);
afterAll(() => undo.disposeAsync());

const hub = integer({ min: 0, max: 2 });
const cluster = integer({ min: 0, max: 2 });
const name = constantFrom("a", "b", "c", "d", "e");
const step = oneof(
  {
    weight: 10,
    arbitrary: record({ type: constant("put" as const), cluster, name, app: constantFrom("x", "y", "z") }),
  },
  { weight: 4, arbitrary: record({ type: constant("delete" as const), cluster, name }) },
  { weight: 2, arbitrary: record({ type: constant("kind" as const), cluster, name }) },
  { weight: 3, arbitrary: record({ type: constant("move" as const), cluster, hub }) },
  { weight: 3, arbitrary: record({ type: constant("return" as const), client: hub, hub }) },
  { weight: 2, arbitrary: record({ type: constant("wait" as const), ms: integer({ min: 1, max: 60 }) }) },
);
const fate = constantFrom("deliver" as const, "lose" as const, "double" as const, "keep" as const, "fail" as const);

describe("a subscriber at each of three hubs", () => {
  it("has in the end what the table has, and each hub told all in order, each once", { timeout: 600_000 }, async () => {
    await check(
      asyncProperty(
        array(step, { minLength: 10, maxLength: 50 }),
        array(fate, { minLength: 7, maxLength: 7 }),
        integer({ min: 1, max: 3 }),
        async (steps, fates, credit) => {
          let turn = 0;
          harness.hall.fate = () => fates[turn++ % fates.length] ?? "deliver";
          const names = await Promise.all([0, 1, 2].map(() => harness.createCluster({ isKnown: false })));
          const toldBefore = harness.hubs.map(({ told }) => told.length);
          const followers = ports.map((port) => new Follower({ port, principal: anybody, filter: {}, credit }));
          const agents = names.map((each) => new Reporter(each));
          // Clusters change at the same time, each by itself.
          const ofClusters = Map.groupBy(steps, (one) => ("cluster" in one ? one.cluster : 3));
          await Promise.all(
            [...ofClusters.values()].map(async (own) => {
              for (const one of own) {
                if (one.type === "return") followers[one.client]?.reconnect(ports[one.hub]);
                else if (one.type === "wait") await pause(one.ms);
                else await agents[one.cluster]?.play(one);
              }
            }),
          );
          harness.hall.fate = () => "lose";
          const wanted = await listTable();
          for (const follower of followers) await expect.poll(() => follower.items(), poll).toEqual(wanted);
          harness.hall.release();
          const newest = Math.max(0, ...harness.hubs.map(({ inventory }) => inventory.revision));
          for (const [index, { told, inventory }] of harness.hubs.entries()) {
            // What changes no row may follow at any time.
            await expect.poll(() => inventory.revision, poll).toBeGreaterThanOrEqual(newest);
            const revisions = told.slice(toldBefore[index]).map((one) => (one === "lost" ? -1 : one.revision));
            expect(revisions).toEqual([...new Set(revisions)].toSorted((one, other) => one - other));
          }
          for (const follower of followers) {
            expect(follower.errors).toEqual([]);
            follower.close();
          }
          for (const agent of agents) agent.cut();
          for (const each of names) await forget(each);
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it("goes on with its cursor at another hub, also at one that is behind", async () => {
    harness.hall.fate = () => "lose";
    const reporter = new Reporter(await harness.createCluster());
    await reporter.play({ type: "put", name: "a", app: "x" });
    const follower = new Follower({ port: ports[0] ?? 0, principal: anybody, filter: { kind: "pods" }, credit: 4 });
    for (const { inventory } of harness.hubs)
      await expect.poll(() => inventory.revision, poll).toBe(harness.hubs[0]?.inventory.revision);
    await expect.poll(() => follower.items().join(), poll).toContain("-a x");
    for (let round = 1; round <= 6; round++) {
      await reporter.play({ type: "put", name: "a", app: `${round}` });
      await expect.poll(() => follower.items().join(), poll).toContain(`-a ${round}`);
      follower.reconnect(ports[round % 3]);
    }
    await reporter.play({ type: "delete", name: "a" });
    await expect.poll(() => follower.items().join(), poll).not.toContain("-a ");
    expect([...follower.errors, follower.resets]).toEqual([0]);
    follower.close();
    reporter.cut();
  });

  it("is told of a cluster that its hub hears of late", async () => {
    harness.hall.fate = () => "deliver";
    await using late = await openSeveralHubs({ hubs: [{}, { clustersLateMs: 2_000 }] });
    const [early, other] = late.hubs as [SharingHub, SharingHub];
    const port = await serve(other);
    const follower = new Follower({ port, principal: anybody, filter: {}, credit: 4 });
    await early.clusters.create({ name: "young", roles: ["observe"] });
    const agent = early.dial("young");
    await agent.start();
    agent.send({ case: "kinds", value: { changed: [toKind("pods", 0)] } });
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a", { labels: { app: "x" } }))] } });
    await agent.until("ack");
    await expect.poll(() => follower.items(), poll).toEqual(["a x"]);
    follower.close();
    agent.cut();
  });

  it("begins anew when the database was put back to an older state", { timeout: 120_000 }, async () => {
    harness.hall.fate = () => "deliver";
    const reporter = new Reporter(await harness.createCluster());
    await reporter.play({ type: "put", name: "kept", app: "x" });
    const before = await listTable();
    const counters = await harness.store.db.selectFrom("change_counter").selectAll().execute();
    await reporter.play({ type: "put", name: "lost", app: "x" });
    const followers = ports.map((port) => new Follower({ port, principal: anybody, filter: {}, credit: 4 }));
    for (const follower of followers) {
      await expect.poll(() => follower.items().join(), poll).toContain("lost");
      await expect.poll(() => follower.isSynced, poll).toBe(true);
    }
    reporter.cut();
    // As a standby has it that lagged by a moment: a table of other rows, another timeline.
    await sql`delete from inventory_object where uid like '%-lost'`.execute(harness.store.db);
    await remake();
    for (const { topic, value } of counters)
      await sql`update change_counter set value = ${value} where topic = ${topic}`.execute(harness.store.db);
    for (const { told } of harness.hubs) await expect.poll(() => told.at(-1), poll).toBe("lost");
    for (const follower of followers) {
      await expect.poll(() => follower.errors, poll).toEqual(["LIVE_BEGIN_ANEW"]);
      follower.reconnect();
      await expect.poll(() => [follower.items(), follower.resets], poll).toEqual([before, 1]);
    }
    // And everything goes on from there.
    await reporter.play({ type: "put", name: "next", app: "y" });
    const wanted = await listTable();
    expect(wanted).toHaveLength(before.length + 1);
    for (const follower of followers) {
      await expect.poll(() => follower.items(), poll).toEqual(wanted);
      follower.close();
    }
    reporter.cut();
  });
});

type ClusterStep =
  | { readonly type: "put"; readonly name: string; readonly app: string }
  | { readonly type: "delete" | "kind"; readonly name: string }
  | { readonly type: "move"; readonly hub: number };

/** An agent that goes on at whichever hub until what it was told to do is done. */
class Reporter {
  readonly #cluster: string;
  #hub = 0;
  #agent: FakeAgent | undefined;
  #sequence = 0n;
  readonly #kinds = ["pods"];

  constructor(cluster: string) {
    this.#cluster = cluster;
  }

  async play(one: ClusterStep): Promise<void> {
    if (one.type === "move") {
      // The one before may not know yet.
      this.#hub = one.hub;
      this.#agent = undefined;
      return;
    }
    for (;;) {
      try {
        const agent = this.#agent ?? (await this.#begin());
        this.#sequence += 1n;
        agent.send({ case: "batch", value: { sequence: this.#sequence, changes: [await this.#toChange(one)] } });
        return void (await agent.until("ack"));
      } catch (error) {
        if (!/_SUPERSEDED|_HISTORY_LOST|_CLUSTER_GONE|CLUSTER_NOT_FOUND/.test(String(error))) throw error;
        this.#agent = undefined;
        await pause(5);
      }
    }
  }

  cut(): void {
    this.#agent?.cut();
    this.#agent = undefined;
  }

  async #begin(): Promise<FakeAgent> {
    const agent = (harness.hubs[this.#hub] as SharingHub).dial(this.#cluster);
    await agent.start();
    agent.send({ case: "kinds", value: { changed: this.#kinds.map(toKind) } });
    this.#sequence = 0n;
    this.#agent = agent;
    return agent;
  }

  async #toChange(one: Exclude<ClusterStep, { type: "move" }>): Promise<never> {
    const uid = `${this.#cluster}-${one.name}`;
    if (one.type === "put") return applied(1, pod(uid, { labels: { app: one.app } })) as never;
    if (one.type === "delete") return { kind: 1, uid, deleted: true } as never;
    // The kind is new in its cluster.
    this.#kinds.push(`widgets-${this.#kinds.length}`);
    const at = this.#kinds.length - 1;
    this.#agent?.send({ case: "kinds", value: { changed: [toKind(this.#kinds[at] ?? "", at)] } });
    return applied(at + 1, pod(`${uid}-${at}`, { labels: { app: "w" } })) as never;
  }
}

function toKind(resource: string, index: number) {
  const names = index === 0 ? {} : { resource, group: "example.com", kind: "Widget" };
  return { ...pods, ...names, id: index + 1, state: "synced" } as const;
}

async function listTable(): Promise<string[]> {
  const { rows } = await sql<{ uid: string; app: string }>`
    select uid, labels ->> 'app' as app from inventory_object where deleted_at is null
  `.execute(harness.store.db);
  return rows.map(({ uid, app }) => `${uid} ${app}`).sort();
}

/** So that the next run begins with nothing of it, deletions included. */
async function forget(cluster: string): Promise<void> {
  await sql`delete from inventory_object where cluster = ${cluster}`.execute(harness.store.db);
}

/** The same rows in another table: it has another number. */
async function remake(): Promise<void> {
  const { db } = harness.store;
  await db.transaction().execute(async (trx) => {
    await sql`alter table inventory_object rename to former_object`.execute(trx);
    await sql`create table inventory_object (like former_object including all)`.execute(trx);
    await sql`insert into inventory_object select * from former_object`.execute(trx);
    await sql`drop table former_object cascade`.execute(trx);
  });
}

async function serve(one: SharingHub): Promise<number> {
  const { inventory, clusters, db } = one;
  const access = {
    authenticate: async () => anybody,
    authorize: () => ({ allowed: true, identity: { user: "anybody", groups: [] }, record: false }) as const,
    may: () => true,
    namespacesOf: () => [],
    isSignedIn: () => true,
    onChanged: () => () => undefined,
  };
  const objects = openObjects({
    db,
    access,
    clusters,
    inventory,
    kubernetesVersion: () => "v1.36.3",
  });
  const log = pino({ level: "silent" });
  const live = undo.use(createLive({ access, clusters, inventory, objects, subscribeToRuns: noRuns, log }));
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (req, socket, head) => live.handleUpgrade(req, socket as never, head));
  await new Promise((resolve) => server.once("listening", resolve));
  undo.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
