import * as fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fate } from "./nasty-adapter.fixture.ts";
import { addEntry, countEntries, openTwoHubs, type TwoHubs } from "./two-hubs.fixture.ts";

let harness: TwoHubs;
beforeEach(async () => {
  harness = await openTwoHubs();
});
afterEach(() => harness[Symbol.asyncDispose]());

describe("a follower", () => {
  it("reads at once, and again what either hub has changed, with nobody moving the clock", async () => {
    const { hubs, hall } = harness;
    const pages = [await followBook(0), await followBook(1)] as const;
    harness.clock.move(100);
    const looks = hubs[1].counters.looks;
    await hubs[0].commit("access", addEntry);
    await expect.poll(() => pages.map(({ last }) => last())).toEqual([1, 1]);
    expect(hubs[1].counters.looks).toBeGreaterThan(looks);
    hall.fate = () => "lose";
    harness.clock.move(100);
    await hubs[1].commit(["access", "sessions"], addEntry);
    await expect.poll(pages[1].last).toBe(2);
  });

  it("whose hints are lost catches up by the timer, and reads nothing while nothing changes", async () => {
    const { hubs, hall } = harness;
    hall.fate = () => "lose";
    const page = await followBook(1);
    await hubs[0].commit("access", addEntry);
    await expect.poll(passing(() => page.last())).toBe(1);
    const reads = page.reads.length;
    const looks = hubs[1].counters.looks;
    await expect.poll(passing(() => hubs[1].counters.looks)).toBeGreaterThan(looks + 3);
    expect(page.reads).toHaveLength(reads);
  });

  it("reads again when a counter is lower than it was, as after a restore", async () => {
    const { hubs, store } = harness;
    await hubs[0].commit("access", addEntry);
    const page = await followBook(1);
    const reads = page.reads.length;
    await sql`update change_counter set value = value - 1000`.execute(store.db);
    await expect.poll(passing(() => page.reads.length)).toBe(reads + 1);
    await sql`delete from change_counter`.execute(store.db);
    await expect.poll(passing(() => page.reads.length)).toBe(reads + 2);
  });

  it("isn't told of what was rolled back", async () => {
    const { hubs } = harness;
    const page = await followBook(0);
    const reads = page.reads.length;
    const undone = hubs[0].commit("access", async (trx) => {
      await addEntry(trx);
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    await hubs[0].settled();
    expect(page.reads).toHaveLength(reads);
  });

  it("is never called twice at a time, and once more for what came meanwhile", async () => {
    const { hubs } = harness;
    let running = 0;
    let most = 0;
    let calls = 0;
    let seen = 0;
    let open = Promise.withResolvers<void>();
    await using _following = hubs[0].follow("access", async () => {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      seen = await countEntries(harness.store);
      await open.promise;
      running -= 1;
    });
    await expect.poll(() => seen + calls).toBe(1);
    for (let index = 0; index < 5; index += 1) await hubs[1].commit("access", addEntry);
    await expect.poll(passing(() => hubs[0].counters.looks)).toBeGreaterThan(5);
    expect(calls).toBe(1);
    open.resolve();
    open = Promise.withResolvers();
    open.resolve();
    await expect.poll(() => seen).toBe(5);
    expect({ most, calls }).toEqual({ most: 1, calls: 2 });
  });

  it("that fails tries again, later and later, is logged once, and is well again", async () => {
    const { hubs, logged } = harness;
    let isBroken = true;
    let calls = 0;
    await using _following = hubs[0].follow("access", async () => {
      calls += 1;
      if (isBroken) throw new Error("broken");
    });
    await expect.poll(passing(() => calls)).toBeGreaterThan(4);
    expect(logged.filter(({ level }) => level === "warn")).toHaveLength(1);
    isBroken = false;
    await expect.poll(passing(() => logged.at(-1)?.msg)).toBe("changes are read again");
    expect(hubs[0].counters.failedRereads.get("access")).toBe(calls - 1);
  });

  it("that ends is told by its signal, and is waited for", async () => {
    const { hubs } = harness;
    let isOver = false;
    const reading = Promise.withResolvers<void>();
    const following = hubs[0].follow("access", async (signal) => {
      reading.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      isOver = true;
    });
    await reading.promise;
    await following[Symbol.asyncDispose]();
    expect(isOver).toBe(true);
    await hubs[0].settled();
  });
});

it("thousands of hints in a second make a hub look some forty times", async () => {
  const { hubs, clock, hall } = harness;
  await followBook(1);
  const looks = hubs[1].counters.looks;
  for (let ms = 0; ms < 1_000; ms += 1) {
    // As from hubs beyond number, or from somebody else who may speak on the bus.
    for (let index = 0; index < 5; index += 1)
      hall.say(index % 2 === 0 ? "nonsense" : '{"from":"x","topics":{"access":null}}');
    clock.move(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(hubs[1].counters.looks - looks).toBeLessThanOrEqual(42);
  expect(hubs[1].counters.looks).toBeGreaterThan(looks);
});

describe("settled", () => {
  it("waits until all followers have read what was committed before", async () => {
    const { hubs, hall } = harness;
    hall.fate = () => "lose";
    const pages = [await followBook(1), await followBook(1)];
    for (let count = 1; count <= 20; count += 1) {
      await hubs[0].commit("access", addEntry);
      await hubs[1].settled();
      expect(pages.map(({ last }) => last())).toEqual([count, count]);
    }
  });

  it("ends with its signal when a follower doesn't come to an end", async () => {
    const { hubs } = harness;
    await using _following = hubs[0].follow(
      "access",
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve());
        }),
    );
    await expect(hubs[0].settled(AbortSignal.timeout(50))).rejects.toThrow("timeout");
  });
});

it("50 transactions at once each raise the counter, in the order of their commits", async () => {
  const { hubs, store } = harness;
  const page = await followBook(0);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (hubs[index % 2] ?? expect.fail()).commit(
        index % 3 === 0 ? ["sessions", "access"] : ["access", "sessions"],
        addEntry,
      ),
    ),
  );
  await hubs[0].settled();
  expect(page.last()).toBe(50);
  const raised = await Promise.all(
    Array.from({ length: 50 }, () =>
      store.db.transaction().execute(async (trx) => {
        await hubs[0].raise(trx, "access");
        const { value } = await trx
          .selectFrom("change_counter")
          .select("value")
          .where("topic", "=", "access")
          .executeTakeFirstOrThrow();
        return value;
      }),
    ),
  );
  expect(new Set(raised).size).toBe(50);
});

it("a transaction that raised a counter and stands still is ended by the server, and no other one", async () => {
  const { hubs, store } = harness;
  const readLimit = async (db: typeof store.db): Promise<unknown> =>
    (await sql<{ limit: string }>`select current_setting('idle_in_transaction_session_timeout') as "limit"`.execute(db))
      .rows[0]?.limit;
  const before = await readLimit(store.db);
  await store.db.connection().execute(async (connection) => {
    await connection.transaction().execute(async (trx) => {
      await hubs[0].raise(trx, "access");
      expect(await readLimit(trx)).toBe("10s");
    });
    expect(await readLimit(connection)).toBe(before);
  });
});

it("whatever the bus does, every follower catches up within the timer", { timeout: 120_000 }, async () => {
  const fates: readonly Fate[] = ["deliver", "lose", "double", "keep", "fail"];
  const step = fc.record({
    hub: fc.constantFrom(0 as const, 1 as const),
    fate: fc.constantFrom(...fates),
    after: fc.constantFrom("nothing" as const, "release" as const, "away" as const, "back" as const, "time" as const),
  });
  const { hubs, hall, clock, store } = harness;
  const pages = [await followBook(0), await followBook(1)];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { hub, fate, after } of steps) {
        hall.fate = () => fate;
        await hubs[hub].commit("access", addEntry);
        if (after === "release") hall.release();
        if (after === "away" || after === "back") hall.setAway(after === "away");
        if (after === "time") clock.move(60);
      }
      hall.fate = () => "lose";
      const all = await countEntries(store);
      const poll = { timeout: 60_000, interval: 5 };
      await expect
        .poll(
          passing(() => pages.map(({ last }) => last())),
          poll,
        )
        .toEqual([all, all]);
      hall.release();
    }),
    { numRuns: 40 },
  );
});

interface Page {
  readonly reads: readonly number[];
  last(): number | undefined;
}

/** Follows the number of entries, as of the first read. */
async function followBook(hub: 0 | 1): Promise<Page> {
  const reads: number[] = [];
  harness.hubs[hub].follow("access", async () => void reads.push(await countEntries(harness.store)));
  await harness.hubs[hub].settled();
  return { reads, last: () => reads.at(-1) };
}

/** A second goes by before each look at the value. */
function passing<T>(read: () => T): () => T {
  return () => {
    harness.clock.move(1_000);
    return read();
  };
}
