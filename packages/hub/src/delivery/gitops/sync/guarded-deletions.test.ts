import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../../platform/store/index.ts";
import { openMemoryStore } from "../../../platform/store/memory-store.fixture.ts";
import { createDeletionHolds, type DeletionHolds } from "./guard/index.ts";
import { GuardedDeletions } from "./guarded-deletions.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
  await sql`insert into cluster (name, labels, roles, created_at) values ('east', '{}', '{}', now())`.execute(store.db);
  await sql`insert into lease (name, holder, fence, expires_at) values ('gitops/east', 'me', 7, 'infinity')`.execute(
    store.db,
  );
});
afterAll(() => store[Symbol.asyncDispose]());

test("of a cluster that claims to have thousands of applications too many, a bounded number is written down", async () => {
  const harness = open(7n);
  for (let index = 0; index < 6_000; index++) harness.guard.left(`uid-${index}`, `east/${"x".repeat(400)}`);
  harness.guard.left("u".repeat(100_000), "east/long");
  await harness.judge();
  expect(harness.guard.heldCount).toBe(6_000);
  const { held } = await harness.holds.read();
  expect(held.size).toBe(5_000);
  expect(held.get("uid-0")?.name).toHaveLength(317);
  expect(harness.letGo).toEqual([]);
});

test("a hub that owns the sync no more writes nothing, and one that takes over goes on with what waits", async () => {
  await harnessWith(["a", "b", "c", "d", "e"]).judge();
  const stale = open(6n);
  for (const uid of ["x", "y", "z", "v", "w", "u"]) stale.guard.left(uid, `east/${uid}`);
  await stale.judge();
  const next = open(7n);
  await next.guard.run(async () => undefined);
  expect(next.guard.heldCount).toBe(5);
  for (const uid of ["a", "b", "c", "d", "e"]) expect(next.guard.holds(uid)).toBe(true);
  next.guard.back("a");
  expect([next.guard.heldCount, next.guard.holds("a")]).toEqual([4, false]);
});

test("a deletion that was begun goes on after a restart, whatever waits", async () => {
  const harness = harnessWith(["a"]);
  await harness.judge();
  harness.clock.move(2_000);
  await harness.judge();
  expect(harness.letGo).toEqual(["a"]);
  const next = open(7n);
  await next.guard.run(async () => undefined);
  expect(next.guard.isLetGo("a")).toBe(true);
  next.guard.left("a", "east/a");
  expect(next.letGo).toEqual(["a"]);
});

test("what an application of the same name replaces goes when that one has its place, and is no loss", async () => {
  const harness = harnessWith(["a", "b", "c", "d", "e"]);
  for (const uid of ["a", "b", "c", "d", "e"]) harness.there.set(`east/${uid}`, `new-${uid}`);
  await harness.judge();
  expect([harness.guard.heldCount, harness.letGo]).toEqual([0, []]);
  harness.settled.add("new-a");
  await harness.judge();
  expect(harness.letGo).toEqual(["a"]);
  harness.there.clear();
  await harness.judge();
  await harness.judge();
  expect(harness.guard.heldCount).toBe(0);
  expect(["b", "c", "d", "e"].every((uid) => harness.guard.holds(uid))).toBe(true);
});

test("nothing is decided before both sides were compared, and what neither has doesn't wait", async () => {
  const harness = harnessWith(["a", "b", "c", "d", "e", "f"]);
  harness.source.state = "comparing";
  harness.clock.move(60_000);
  await harness.judge();
  expect([harness.guard.heldCount, harness.letGo]).toEqual([0, []]);
  harness.source.state = "open";
  harness.gone.add("f");
  await harness.judge();
  expect([harness.guard.heldCount, harness.guard.holds("f")]).toEqual([5, false]);
});

function harnessWith(uids: readonly string[]): Harness {
  const harness = open(7n);
  for (const uid of uids) harness.guard.left(uid, `east/${uid}`);
  return harness;
}

interface Harness {
  readonly guard: GuardedDeletions;
  readonly holds: DeletionHolds;
  readonly clock: ReturnType<typeof createMovableClock>;
  readonly source: { state: "comparing" | "open" };
  readonly letGo: string[];
  /** Uids by name. */
  readonly there: Map<string, string>;
  readonly settled: Set<string>;
  readonly gone: Set<string>;
  /** After two seconds, in which what was written before isn't written again. */
  judge(): Promise<void>;
}

function open(term: bigint): Harness {
  const clock = createMovableClock(Date.parse("2026-01-01T00:00:00Z"));
  const [letGo, there, settled, gone] = [
    [] as string[],
    new Map<string, string>(),
    new Set<string>(),
    new Set<string>(),
  ];
  const changes = { follow: () => ({ [Symbol.asyncDispose]: async () => undefined }) };
  const holds = createDeletionHolds({ db: store.db, changes }, { cluster: "east", term });
  const source: Harness["source"] & { has(uid: string): boolean; isSettled(uid: string): boolean } = {
    state: "open",
    has: (uid) => !gone.has(uid),
    isSettled: (uid) => settled.has(uid),
  };
  const log = { warn: () => undefined, info: () => undefined };
  const guard = new GuardedDeletions({
    cluster: "east",
    rules: { guardPercent: 20, guardMin: 5 },
    holds,
    clock,
    log,
  });
  guard.connect({ source, present: () => there, letGo: (uid) => void letGo.push(uid) });
  return { guard, holds, clock, source, letGo, there, settled, gone, judge: () => guard.judge() };
}
