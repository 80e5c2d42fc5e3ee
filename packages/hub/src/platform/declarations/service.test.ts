// On a database, with a wing of the test's own and a clock that it moves.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryAdapter, openBus } from "../bus/index.ts";
import { openChanges } from "../changes/index.ts";
import { type Leases, openLeases } from "../leases/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { type DeclarationsRoom, type DeclaredPart, type Finding, openDeclarations, saveOwned } from "./index.ts";

async function openHarness(
  undo: AsyncDisposableStack,
  options: { readonly isShared?: boolean; readonly isBusy?: boolean } = {},
) {
  const { isShared = false, isBusy = false } = options;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-declared-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const store = undo.use(await openMemoryStore());
  const log = createLogger({ level: "silent", name: "test" });
  const clock = createMovableClock();
  const bus = undo.use(
    await openBus({ adapter: createMemoryAdapter({}), hubInstanceId: "hub_1", clock: systemClock, log }),
  );
  const changes = undo.use(openChanges({ db: store.db, bus, clock: systemClock, log }));
  const there = new Set<string>();
  const part: DeclaredPart = {
    async reconcile({ wanted: { roles }, owned, guard }) {
      const names = new Set(roles.map(({ name }) => name));
      const made = [...names.difference(there)].map(
        (name): Finding => ({ kind: "Role", name, did: "made", detail: "gone" }),
      );
      const gone = owned.filter(({ name }) => !names.has(name) && there.has(name));
      for (const { name } of made) there.add(name);
      for (const { name } of gone) there.delete(name);
      await store.db.transaction().execute(async (trx) => {
        await guard(trx);
        await saveOwned(
          trx,
          ["Role"],
          roles.map(({ name, file }) => ({ kind: "Role", name, file })),
        );
      });
      return [...made, ...gone.map(({ name }): Finding => ({ kind: "Role", name, did: "removed", detail: "gone" }))];
    },
    list: () => [...there].map((name) => ({ kind: "Role", name })),
  };
  const real = undo.use(openLeases({ db: store.db, bus, hubInstanceId: "hub_1", clock: systemClock, log }));
  let takes = 0;
  const leases: Pick<Leases, "take"> = {
    async take(name) {
      takes += 1;
      return isBusy ? undefined : await real.take(name);
    },
  };
  const write = (...names: string[]) => writeTo(folder, ...names);
  const writeTo = (to: string, ...names: string[]) =>
    writeFile(
      join(to, "a.yaml"),
      names.map((name) => `apiVersion: fairlead.dev/v1\nkind: Role\nname: ${name}\n---\n`).join(""),
    );
  await write("one", "two");
  const open = (of = folder) =>
    openDeclarations({
      folder: of,
      keepsNothing: false,
      db: store.db,
      changes,
      leases,
      isShared,
      clock,
      log,
      onLimits: () => undefined,
    });
  return { folder, store, clock, there, part, write, writeTo, open, takes: () => takes };
}

it("puts right what was changed elsewhere, counts it and says when", async () => {
  await using undo = new AsyncDisposableStack();
  const { clock, there, part, open } = await openHarness(undo);
  const room = undo.use(await open());
  await room.begin({ parts: [part], onWithdrawn: () => undefined });
  expect(there).toEqual(new Set(["one", "two"]));
  expect(() => room.guard.requireUndeclared("Role", "one")).toThrow(/role one is declared in a\.yaml/);
  room.guard.requireUndeclared("Role", "other");
  expect(room.counters.drifts).toBe(0);

  there.delete("one");
  there.add("handmade");
  expect(stateOf(room, "one")).toMatchObject({ state: "missing" });
  await expect.poll(() => after(clock, () => room.counters.drifts)).toBe(1);
  expect(stateOf(room, "one")).toMatchObject({ state: "declared", drift: { detail: "gone" } });
  expect(stateOf(room, "handmade")).toMatchObject({ state: "undeclared" });
  expect(there.has("handmade")).toBe(true);
});

it("goes on by what was good while the files aren't, and takes away what went while no hub was there", async () => {
  await using undo = new AsyncDisposableStack();
  const { folder, clock, there, part, write, open } = await openHarness(undo);
  {
    await using first = await open();
    await first.begin({ parts: [part], onWithdrawn: () => undefined });
    await writeFile(join(folder, "b.yaml"), "kind: [");
    await expect.poll(() => after(clock, () => first.counters.isFailing)).toBe(true);
    expect(first.status().problem).toMatchObject({ code: "DECLARATION_SYNTAX" });
    expect(there.size).toBe(2);
    await rm(join(folder, "b.yaml"));
    await expect.poll(() => after(clock, () => first.counters.isFailing)).toBe(false);
  }
  await write("one");
  const second = undo.use(await open());
  await second.begin({ parts: [part], onWithdrawn: () => undefined });
  expect(there).toEqual(new Set(["one"]));
});

it("of several hubs leaves it to the one that is about it", async () => {
  await using undo = new AsyncDisposableStack();
  const { there, part, open, takes } = await openHarness(undo, { isShared: true, isBusy: true });
  const waiting = undo.use(await open());
  await waiting.begin({ parts: [part], onWithdrawn: () => undefined });
  expect(there.size).toBe(0);
  expect(takes()).toBe(1);
});

describe("where the files of two hubs differ", () => {
  const undo = new AsyncDisposableStack();
  let harness: Awaited<ReturnType<typeof openHarness>>;
  let other: string;
  let ours: DeclarationsRoom;
  const begin = async (room: DeclarationsRoom): Promise<DeclarationsRoom> => {
    await room.begin({ parts: [harness.part], onWithdrawn: () => undefined });
    return room;
  };
  beforeAll(async () => {
    harness = await openHarness(undo, { isShared: true });
    other = join(harness.folder, "other");
    await mkdir(other);
    ours = undo.use(await begin(await harness.open()));
  });
  afterAll(() => undo.disposeAsync());

  it("one that is started with others changes nothing and says so, however long it runs", async () => {
    await harness.writeTo(other, "one", "three");
    await using started = await begin(await harness.open(other));
    expect(started.status().problem).toMatchObject({ code: "DECLARATIONS_DIFFER" });
    expect(started.counters.isFailing).toBe(true);
    // Beyond the minute after which others would count.
    for (let round = 0; round < 25; round++) {
      await backdate();
      await expect.poll(() => after(harness.clock, isConfirmed)).toBe(true);
    }
    expect(harness.there).toEqual(new Set(["one", "two"]));
    expect(ours.status().problem).toBeUndefined();
    expect(started.status().problem).toMatchObject({ code: "DECLARATIONS_DIFFER" });
  });

  it("the one that had what is in force goes on to what follows, and the other one takes nothing back", async () => {
    await harness.writeTo(other, "one", "two");
    await using slow = await begin(await harness.open(other));
    expect(slow.status().problem).toBeUndefined();
    await harness.write("one", "two", "four");
    await expect.poll(() => after(harness.clock, () => harness.there.has("four"))).toBe(true);
    await expect.poll(() => after(harness.clock, () => slow.counters.isFailing)).toBe(true);
    // It misses one set, and has one for a while that nobody has had.
    await harness.writeTo(other, "one", "three");
    await look(5);
    expect(harness.there).toEqual(new Set(["one", "two", "four"]));
    await harness.writeTo(other, "one", "two", "four");
    await expect.poll(() => after(harness.clock, () => slow.counters.isFailing)).toBe(false);
    expect(harness.there).toEqual(new Set(["one", "two", "four"]));
  });

  it("others count when nobody has had what is in force for a minute", async () => {
    await ours[Symbol.asyncDispose]();
    await harness.writeTo(other, "three");
    await using last = await begin(await harness.open(other));
    await backdate();
    await look(15);
    expect(await isConfirmed()).toBe(false);
    expect(harness.there).toEqual(new Set(["one", "two", "four"]));
    await expect.poll(() => after(harness.clock, () => [...harness.there])).toEqual(["three"]);
    // The look that put them in force may not be over yet.
    await expect.poll(() => last.status().problem).toBeUndefined();
  });

  /** At most as many looks of each hub. */
  async function look(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      harness.clock.move(3_000);
      await setTimeout(20);
    }
  }

  async function backdate(): Promise<void> {
    await sql`update declaration_set set applied_at = now() - interval '1 hour'`.execute(harness.store.db);
  }

  /** A hub has said that its files have what is in force. */
  async function isConfirmed(): Promise<boolean> {
    const { rows } = await sql`select from declaration_set where applied_at > now() - interval '1 minute'`.execute(
      harness.store.db,
    );
    return rows.length > 0;
  }
});

function stateOf(room: Awaited<ReturnType<typeof openDeclarations>>, name: string) {
  return room.status().items.find((item) => item.name === name);
}

function after<T>(clock: MovableClock, read: () => T): T {
  clock.move(3_000);
  return read();
}
