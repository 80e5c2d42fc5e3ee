// On a database, with a wing of the test's own and a clock that it moves.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { createMemoryAdapter, openBus } from "../bus/index.ts";
import { openChanges } from "../changes/index.ts";
import { type Leases, openLeases } from "../leases/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { type DeclaredPart, type Finding, openDeclarations, saveOwned } from "./index.ts";

async function openBed(
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
  const write = (...names: string[]) =>
    writeFile(
      join(folder, "a.yaml"),
      names.map((name) => `apiVersion: fairlead.dev/v1\nkind: Role\nname: ${name}\n---\n`).join(""),
    );
  await write("one", "two");
  const open = () =>
    openDeclarations({
      ...{ folder, keepsNothing: false, db: store.db, changes, leases, isShared, clock, log },
      onLimits: () => undefined,
    });
  return { folder, store, clock, there, part, write, open, takes: () => takes };
}

it("puts right what was changed elsewhere, counts it and says when", async () => {
  await using undo = new AsyncDisposableStack();
  const { clock, there, part, open } = await openBed(undo);
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
  const { folder, clock, there, part, write, open } = await openBed(undo);
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

it("of several hubs leaves it to the one that is about it, and to the one whose files came later", async () => {
  await using undo = new AsyncDisposableStack();
  const busy = await openBed(undo, { isShared: true, isBusy: true });
  const waiting = undo.use(await busy.open());
  await waiting.begin({ parts: [busy.part], onWithdrawn: () => undefined });
  expect(busy.there.size).toBe(0);
  expect(busy.takes()).toBe(1);

  const free = await openBed(undo, { isShared: true });
  const room = undo.use(await free.open());
  await room.begin({ parts: [free.part], onWithdrawn: () => undefined });
  await free.store.db.updateTable("declaration_set").set({ digest: "another hub's" }).execute();
  free.there.delete("one");
  const before = free.takes();
  await expect.poll(() => after(free.clock, () => free.takes())).toBeGreaterThan(before + 1);
  expect(free.there).toEqual(new Set(["two"]));
});

function stateOf(room: Awaited<ReturnType<typeof openDeclarations>>, name: string) {
  return room.status().items.find((item) => item.name === name);
}

function after<T>(clock: MovableClock, read: () => T): T {
  clock.move(3_000);
  return read();
}
