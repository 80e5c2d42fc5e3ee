import { systemClock } from "@fairlead/kernel";
import { createMovableClock, type MovableClock, until } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryAdapter, type MemoryHall, openBus } from "../bus/index.ts";
import { holdTransaction } from "../store/hold-transaction.fixture.ts";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { openLeases } from "./leases.ts";
import type { HeldLease, Leases } from "./types.ts";

let store: Store;
let hall: MemoryHall;
let opened: AsyncDisposableStack;
beforeEach(async () => {
  store = await openMemoryStore();
  hall = new Set();
  opened = new AsyncDisposableStack();
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

describe("a lease", () => {
  it("is held by one of 20 that want it, and by the next one as soon as it is free", async () => {
    const holders: string[] = [];
    let now = 0;
    let most = 0;
    const fences: bigint[] = [];
    const holds = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const hub = await open(`hub_${index}`);
        const holding = hub.hold("sweep", {
          async work({ signal, fence }) {
            now += 1;
            most = Math.max(most, now);
            holders.push(`hub_${index}`);
            fences.push(fence);
            await aborted(signal);
            now -= 1;
          },
        });
        return { name: `hub_${index}`, holding };
      }),
    );
    for (let round = 1; round <= 5; round += 1) {
      await until(() => holders.length === round, "somebody holds it");
      await holds.find(({ name }) => name === holders.at(-1))?.holding[Symbol.asyncDispose]();
    }
    await until(() => holders.length === 6, "the next one holds it");
    expect(most).toBe(1);
    expect(new Set(holders).size).toBe(6);
    expect(fences).toEqual([...fences].sort((a, b) => Number(a - b)));
    expect(new Set(fences).size).toBe(6);
  });

  it("is given out with a higher fence each time, also after it was free", async () => {
    const [one, other] = [await open("hub_1"), await open("hub_2")];
    const fences: bigint[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const hub of [one, other]) {
        const lease = await mustTake(hub);
        expect(await (hub === one ? other : one).take("sweep")).toBeUndefined();
        expect(hub.heldCount).toBe(1);
        fences.push(lease.fence);
        await lease.release();
        expect(hub.heldCount).toBe(0);
      }
    }
    expect(fences).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
  });

  it("of a hub that is gone is another's when it expires, by the database's clock alone", async () => {
    const dead = await open("hub_1", createMovableClock(Date.UTC(2090, 0, 1)));
    await mustTake(dead, 60_000);
    const other = await open("hub_2", createMovableClock(Date.UTC(1990, 0, 1)));
    expect(await other.take("sweep")).toBeUndefined();
    await expire();
    expect((await mustTake(other)).fence).toBe(2n);
  });

  it("is renewed for as long as it is held, and not after", async () => {
    const hub = await open("hub_1");
    const lease = await mustTake(hub, 6_000);
    const first = await readExpiry();
    await expect.poll(readExpiry).toBeGreaterThan(first);
    expect(lease.isHeld).toBe(true);
    await lease.release();
    expect(lease.signal.aborted).toBe(true);
    expect(await (await open("hub_2")).take("sweep")).toBeDefined();
  });

  it("that was lost stops its holder in a transaction, whatever the holder believes", async () => {
    const [one, other] = [await open("hub_1"), await open("hub_2")];
    const old = await mustTake(one);
    await store.db.transaction().execute((trx) => old.guard(trx));
    await expire();
    const next = await mustTake(other);
    expect(old.isHeld).toBe(true);
    const writing = store.db.transaction().execute(async (trx) => {
      await old.guard(trx);
      await sql`delete from lease`.execute(trx);
    });
    await expect(writing).rejects.toMatchObject({ code: "LEASE_LOST" });
    await store.db.transaction().execute((trx) => next.guard(trx));
  });

  it("is nobody else's before a transaction that it guards has ended, though it expired", async () => {
    const [one, other] = [await open("hub_1"), await open("hub_2")];
    const lease = await mustTake(one);
    await sql`update lease set expires_at = clock_timestamp() + interval '300 ms'`.execute(store.db);
    const writing = await holdTransaction(store.db, (trx) => lease.guard(trx));
    await sql`select pg_sleep(0.5)`.execute(store.queries);
    expect(await other.take("sweep")).toBeUndefined();
    await writing.commit();
    expect(await other.take("sweep")).toMatchObject({ fence: 2n });
  });

  it("isn't kept from others by a transaction that stands still", async () => {
    const [one, other] = [await open("hub_1"), await open("hub_2")];
    const lease = await mustTake(one, 1_500);
    const writing = await holdTransaction(store.db, (trx) => lease.guard(trx));
    await until(async () => (await other.take("sweep")) !== undefined, "another has it");
    await expect(writing.commit()).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  it("is given up by a hub that was stopped, before another can have it", async () => {
    const clock = createMovableClock();
    const hub = await open("hub_1", clock);
    const other = await open("hub_2");
    let lease: HeldLease | undefined;
    const ended = Promise.withResolvers<unknown>();
    hub.hold("sweep", {
      ttlMs: 600_000,
      async work(given) {
        lease ??= given;
        await aborted(given.signal);
        if (lease === given) ended.resolve(given.signal.reason);
      },
    });
    await until(() => lease !== undefined, "it is held");
    clock.jump(480_000);
    expect(lease?.isHeld).toBe(false);
    expect(await ended.promise).toMatchObject({ code: "LEASE_LOST" });
    expect(await other.take("sweep")).toBeUndefined();
    await expect(store.db.transaction().execute(async (trx) => lease?.guard(trx))).rejects.toMatchObject({
      code: "LEASE_LOST",
    });
  });

  it("isn't held on by a clock that somebody sets back", async () => {
    const clock = createMovableClock();
    let monotonicMs = 0;
    const hub = await open("hub_1", clock, () => monotonicMs);
    const lease = await mustTake(hub, 10_000);
    clock.jump(-3_600_000);
    monotonicMs = 7_999;
    expect(lease.isHeld).toBe(true);
    monotonicMs = 8_000;
    expect(lease.isHeld).toBe(false);
    expect(lease.signal.aborted).toBe(true);
  });

  it("is freed after its work has come to an end, and the work is waited for", async () => {
    const [one, other] = [await open("hub_1"), await open("hub_2")];
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const holding = one.hold("sweep", {
      async work({ signal }) {
        begun.resolve();
        await aborted(signal);
        stopped.resolve();
        await mayEnd.promise;
      },
    });
    await begun.promise;
    const disposing = holding[Symbol.asyncDispose]();
    await stopped.promise;
    expect(await other.take("sweep")).toBeUndefined();
    mayEnd.resolve();
    await disposing;
    expect(await other.take("sweep")).toBeDefined();
  });

  it("is taken again after work that failed", async () => {
    const clock = createMovableClock();
    const hub = await open("hub_1", clock);
    let calls = 0;
    hub.hold("sweep", {
      async work({ signal }) {
        calls += 1;
        if (calls < 3) throw new Error("failed");
        await aborted(signal);
      },
    });
    await expect
      .poll(() => {
        clock.move(1_000);
        return calls;
      })
      .toBe(3);
  });
});

async function open(
  name: string,
  clock: MovableClock | typeof systemClock = systemClock,
  monotonicMs?: () => number,
): Promise<Leases> {
  const log = createLogger({ level: "silent", name: "test" });
  const bus = opened.use(await openBus({ adapter: createMemoryAdapter({ hall }), hubInstanceId: name, clock, log }));
  const isMovable = clock !== systemClock;
  const time = monotonicMs ?? (isMovable ? () => clock.now() : undefined);
  return opened.use(openLeases({ db: store.db, bus, hubInstanceId: name, clock, log, monotonicMs: time }));
}

async function mustTake(hub: Leases, ttlMs?: number): Promise<HeldLease> {
  const lease = await hub.take("sweep", { ttlMs });
  if (lease === undefined) throw new Error("another has it");
  return lease;
}

/** As if the time had passed in the database. */
async function expire(): Promise<void> {
  await sql`update lease set expires_at = clock_timestamp() - interval '1 ms'`.execute(store.db);
}

async function readExpiry(): Promise<number> {
  const { expires_at } = await store.db.selectFrom("lease").select("expires_at").executeTakeFirstOrThrow();
  return expires_at.getTime();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}
