// Sign-ins that are under way, kept for whichever hub they come back to.
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store } from "../../../platform/store/index.ts";
import { openMemoryStore } from "../../../platform/store/memory-store.fixture.ts";
import type { Logout } from "./types.ts";
import { createUsedLogouts } from "./used-logouts.ts";
import { createWaiting, type Waiting } from "./waiting.ts";

let store: Store;
let clock: MovableClock;
beforeEach(async () => {
  store = await openMemoryStore();
  clock = createMovableClock(Date.UTC(2030, 0, 1));
});
afterEach(() => store[Symbol.asyncDispose]());

function open(more: { readonly max?: number; readonly kind?: "flow" | "device" } = {}): Waiting<{ nonce: string }> {
  return createWaiting({ db: store.db, clock, kind: "flow", ttlMs: 60_000, ...more });
}

it("gives what one hub keeps to another one, once, whoever comes at once", async () => {
  const hubs = [open(), open()] as const;
  const key = await hubs[0].put({ nonce: "n" });
  const taken = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? hubs[1] : hubs[0]).take(key)));
  expect(taken.filter((value) => value !== undefined)).toEqual([{ nonce: "n" }]);
  expect(await hubs[1].take(key)).toBeUndefined();
});

it("gives nothing after its time, for another key, or as another kind", async () => {
  const waiting = open();
  const key = await waiting.put({ nonce: "n" });
  expect(await open({ kind: "device" }).take(key)).toBeUndefined();
  expect(await waiting.take("made-up")).toBeUndefined();
  clock.move(60_000);
  expect(await waiting.take(key)).toBeUndefined();
});

it("keeps nothing that finishes a sign-in for who reads the database", async () => {
  const key = await open().put({ nonce: "the-nonce" });
  const rows = await store.db.selectFrom("oidc_waiting").selectAll().execute();
  expect(rows).toHaveLength(1);
  const text = rows.map((row) => `${JSON.stringify(row)}${row.sealed.toString("latin1")}`).join();
  expect(text).not.toContain("the-nonce");
  expect(text).not.toContain(key);
});

it("keeps a bounded number, the newest, and those that are over are swept up by whoever comes", async () => {
  const waiting = open({ max: 3 });
  const keys: string[] = [];
  for (let count = 0; count < 6; count++) {
    clock.move(1);
    keys.push(await waiting.put({ nonce: String(count) }));
  }
  const count = async (): Promise<number> =>
    (await store.db.selectFrom("oidc_waiting").select("kind").execute()).length;
  expect(await count()).toBe(3);
  expect(await waiting.take(keys[2] ?? "")).toBeUndefined();
  expect(await waiting.take(keys[3] ?? "")).toEqual({ nonce: "3" });
  clock.move(60_000);
  await open().put({ nonce: "later" });
  expect(await count()).toBe(1);
});

it("gives turns to one at a time, over all hubs, and in the end to nobody for long", async () => {
  const [one, other] = [open({ kind: "device" }), open({ kind: "device" })];
  const key = await one.put({ nonce: "n" }, { intervalMs: 5_000, nextMs: clock.now() + 5_000 });
  expect(await other.peek(key)).toEqual({ isDue: false, intervalMs: 5_000 });
  clock.move(5_000);
  const turns = await Promise.all([one.peek(key), other.peek(key), one.peek(key)]);
  expect(turns.filter((turn) => turn?.isDue)).toEqual([{ isDue: true, intervalMs: 5_000, value: { nonce: "n" } }]);
  await one.due(key, { atMs: clock.now() + 10_000, intervalMs: 10_000 });
  expect(await other.peek(key)).toEqual({ isDue: false, intervalMs: 10_000 });
  clock.move(10_000);
  expect(await other.peek(key)).toMatchObject({ isDue: true });
  // The hub that had this turn died over it.
  clock.move(31_000);
  expect(await one.peek(key)).toMatchObject({ isDue: true });
  await one.take(key);
  expect(await other.peek(key)).toBeUndefined();
});

it("takes a logout token once over all hubs, again when it came to nothing, and forgets it when it is over", async () => {
  const hubs = [createUsedLogouts({ db: store.db, clock }), createUsedLogouts({ db: store.queries, clock })] as const;
  const logout: Logout = { issuer: "i", subject: "s", sid: undefined, id: "jti", endsMs: clock.now() + 600_000 };
  const takes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? hubs[1] : hubs[0]).take(logout)),
  );
  expect(takes.filter(Boolean)).toHaveLength(1);
  expect(await hubs[0].take({ ...logout, issuer: "another" })).toBe(true);
  await hubs[0].giveBack(logout);
  expect(await hubs[1].take(logout)).toBe(true);
  // Its hub died over it.
  clock.move(121_000);
  expect(await hubs[0].take(logout)).toBe(true);
  await hubs[0].done(logout);
  clock.move(121_000);
  expect(await hubs[1].take(logout)).toBe(false);
  clock.move(600_000);
  await hubs[1].take({ ...logout, id: "next", endsMs: clock.now() + 1_000 });
  expect(await store.db.selectFrom("oidc_logout").select("id_sha256").execute()).toHaveLength(1);
});
