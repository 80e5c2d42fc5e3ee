// Reads the users that other hubs have changed.
import { expect, it } from "vitest";
import { openMemoryStore } from "../../../platform/store/memory-store.fixture.ts";
import { createUserStore, type UserStore } from "./store.ts";

const user = { issuer: "i", groups: ["dev"], createdMs: 1, signedInMs: 1 };

it("are those that changed since, also while somebody else's change is under way", async () => {
  await using store = await openMemoryStore();
  const users = createUserStore(store.db);
  await users.put({ ...user, uid: "1", name: "alice", subject: "1" });
  const first = await users.load(undefined);
  expect(first).toMatchObject({ isAll: true, count: 1, users: [{ name: "alice" }] });
  const since = await untilNothingIsNew(users);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const late = store.queries.transaction().execute(async (trx) => {
    await createUserStore(trx).put({ ...user, uid: "2", name: "late", subject: "2" });
    begun.resolve();
    await mayEnd;
  });
  await begun.promise;
  await users.put({ ...user, uid: "3", name: "early", subject: "3" });
  const second = await users.load(since);
  expect(second.users.map(({ name }) => name)).toEqual(["early"]);
  end();
  await late;
  const third = await users.load(second.horizon);
  expect(third.users.map(({ name }) => name).sort()).toEqual(["early", "late"]);
  const fourth = await users.load(await untilNothingIsNew(users));
  expect(fourth).toMatchObject({ isAll: false, count: 3, users: [] });
});

it("are all when the database is another one, and not each time after a restore", async () => {
  await using store = await openMemoryStore();
  const users = createUserStore(store.db);
  await users.put({ ...user, uid: "1", name: "alice", subject: "1" });
  const { horizon } = await users.load(undefined);
  expect(await users.load(horizon + 1_000_000)).toMatchObject({ isAll: true, users: [{ name: "alice" }] });
  await store.db
    .updateTable("access_user")
    .set({ changed_xid: horizon + 1_000_000 })
    .execute();
  expect((await users.load((await users.load(undefined)).horizon)).users).toHaveLength(1);
  await users.settle();
  await untilNothingIsNew(users);
});

it("keep their sign-in without a change for others, unless they are gone or others", async () => {
  await using store = await openMemoryStore();
  const users = createUserStore(store.db);
  const alice = { ...user, uid: "1", name: "alice", subject: "1" };
  await users.put(alice);
  const horizon = await untilNothingIsNew(users);
  expect(await users.touch({ ...alice, signedInMs: 2 })).toBe(true);
  expect((await users.load(horizon)).users).toEqual([]);
  expect((await users.load(undefined)).users).toEqual([{ ...alice, signedInMs: 2 }]);
  for (const other of [{ name: "bob" }, { groups: ["ops"] }, { uid: "2" }])
    expect(await users.touch({ ...alice, ...other })).toBe(false);
});

/** Gives a horizon that all changes so far lie before. Transactions of other tests on the same server hold it back. */
async function untilNothingIsNew(users: UserStore): Promise<number> {
  for (;;) {
    const { horizon } = await users.load(undefined);
    if ((await users.load(horizon)).users.length === 0) return horizon;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
