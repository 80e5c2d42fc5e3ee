// A sync that Argo CD's CLI asks for, while the hub dies between its store and Argo CD's write, and while the store is put
// back to a backup. Cables and a lock on the hub's table hold things up at the place where the hub then dies.
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type ManagedHarness, patience, readApplication } from "./argo-managed-harness.fixture.ts";

let harness: ManagedHarness;
/** The hub that owns the cluster's sync. */
let owner = 0;

export function testTakeovers(opened: () => ManagedHarness): void {
  beforeAll(() => {
    harness = opened();
  });

  describe("a sync that is asked for is run once, and the next one, too, though the hub dies", () => {
    test("before it has stored the request", async () => {
      await makeIdle("unstored");
      {
        await using _store = await holdStore();
        await ask("unstored");
        await expect.poll(countWaiting, patience).toBeGreaterThan(0);
        await killOwner();
      }
      await takeOver();
      await expectRuns("unstored", 1);
    });

    test("after it has stored the request, and before the cluster has it", async () => {
      await makeIdle("stored");
      harness.agentsCable.cut();
      await ask("stored");
      await expect.poll(() => recordOf("stored"), patience).toMatchObject({ operation: { is: "requested" } });
      await killOwner();
      harness.agentsCable.heal();
      await takeOver();
      await expectRuns("stored", 1);
    });

    test("after the cluster has run it, and before the store says so", async () => {
      await makeIdle("run");
      harness.agentsCable.cut();
      await ask("run");
      await expect.poll(() => recordOf("run"), patience).toMatchObject({ operation: { is: "requested" } });
      {
        await using _store = await holdStore();
        harness.agentsCable.heal();
        await expect.poll(() => countRuns("run"), patience).toBe(1);
        await expect.poll(countWaiting, patience).toBeGreaterThan(0);
        await killOwner();
        // The database would do what the hub asked for before it died.
        await query(`select pg_terminate_backend(pid) from ${waiters}`);
      }
      expect(await recordOf("run")).toMatchObject({ operation: { is: "requested" } });
      await takeOver();
      await expectRuns("run", 1);
    });
  });

  describe("a database that is put back to a backup", () => {
    test("of before a sync runs that sync not again", async () => {
      await makeIdle("over");
      await backUp();
      await ask("over");
      await expectRuns("over", 1, { isLast: false });
      await killOwner();
      await restore();
      await takeOver();
      await expectRuns("over", 1);
    });

    test("of when a sync waited, that has run since, runs the next equal one, too", async () => {
      await makeIdle("equal");
      harness.agentsCable.cut();
      await ask("equal");
      await expect.poll(() => recordOf("equal"), patience).toMatchObject({ operation: { is: "requested" } });
      await backUp();
      harness.agentsCable.heal();
      await expectRuns("equal", 1, { isLast: false });
      await killOwner();
      await ask("equal");
      await restore();
      await takeOver();
      await expectRuns("equal", 2);
    });

    test("of before a sync that waits runs it once", async () => {
      await makeIdle("waits");
      await backUp();
      harness.agentsCable.cut();
      await ask("waits");
      await expect.poll(() => recordOf("waits"), patience).toMatchObject({ operation: { is: "requested" } });
      await killOwner();
      await restore();
      harness.agentsCable.heal();
      await takeOver();
      await expectRuns("waits", 1);
    });
  });
}

async function makeIdle(name: string): Promise<void> {
  await harness.create({ name, cluster: "east" });
  await harness.untilStates({ [`east/${name}`]: "OutOfSync Missing" });
}

async function ask(name: string): Promise<void> {
  await harness.argoHub.cli.run(["app", "sync", `east/${name}`, "--async"]);
}

/** Afterwards the next sync is asked for and runs, too. */
async function expectRuns(name: string, runs: number, { isLast = true } = {}): Promise<void> {
  await expect
    .poll(async () => {
      const { status, ...rest } = await readApplication(harness.center, "east", name);
      return [status?.sync?.status, "operation" in rest];
    }, patience)
    .toEqual(["Synced", false]);
  expect(await countRuns(name)).toBe(runs);
  if (!isLast) return;
  // A hub that took over asks again within this time, if it does at all.
  await sleep(5_000);
  expect(await countRuns(name)).toBe(runs);
  await harness.argoHub.cli.run(["app", "sync", `east/${name}`, "--timeout", "90"]);
  expect(await countRuns(name)).toBe(runs + 1);
}

/** In the cluster. */
async function countRuns(name: string): Promise<number> {
  return (await readApplication(harness.east, "argocd", name)).status?.history?.length ?? 0;
}

async function killOwner(): Promise<void> {
  harness.hubs.agents.use([]);
  await hubAt(owner).stop("KILL");
}

/** The other hub gets the agent's call; the one that died is back beside it. */
async function takeOver(): Promise<void> {
  const dead = owner;
  owner = 1 - owner;
  harness.hubs.agents.use([hubAt(owner).agentPort]);
  await hubAt(dead).start();
}

function hubAt(index: number): ManagedHarness["hub"] {
  const hub = harness.hubs.hubs[index];
  if (hub === undefined) throw new Error(`there is no hub ${index}`);
  return hub;
}

async function recordOf(name: string): Promise<unknown> {
  const { uid } = (await readApplication(harness.center, "east", name)).metadata;
  const rows = await query("select record from gitops_operation where cluster = 'east' and uid = $1", [uid]);
  return (rows[0] as { record?: unknown } | undefined)?.record;
}

/** Others read the table meanwhile, and wait with their writes. */
async function holdStore(): Promise<AsyncDisposable> {
  const holding = query("begin; lock table gitops_operation in exclusive mode; select pg_sleep(600)").catch(() => []);
  await expect.poll(() => query(`select pid from ${locks} and granted`), patience).toHaveLength(1);
  return {
    async [Symbol.asyncDispose]() {
      await query(`select pg_terminate_backend(pid) from ${locks} and granted`);
      await holding;
    },
  };
}

/** Writers that the lock holds up. */
async function countWaiting(): Promise<number> {
  return (await query(`select pid from ${waiters}`)).length;
}

async function backUp(): Promise<void> {
  await query("drop table if exists kept_operation");
  await query("create table kept_operation as table gitops_operation");
}

async function restore(): Promise<void> {
  await query("begin; delete from gitops_operation; insert into gitops_operation table kept_operation; commit");
}

async function query(statement: string, values?: readonly unknown[]): Promise<unknown[]> {
  return await harness.hubs.postgres.query(statement, values);
}

const ofTable = "pg_locks where relation = 'gitops_operation'::regclass";
const locks = `${ofTable} and mode = 'ExclusiveLock'`;
const waiters = `${ofTable} and not granted`;
