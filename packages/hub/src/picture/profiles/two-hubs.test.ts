// The room of profiles at two hubs on one database.
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openTwoHubs, type TwoHubs } from "../../platform/changes/two-hubs.fixture.ts";
import { type ExamineOrder, followOrders } from "./orders.ts";
import { createProfileStore, type ProfileStore } from "./store.ts";

let hubs: TwoHubs;
let store: ProfileStore;
beforeAll(async () => {
  hubs = await openTwoHubs();
  store = createProfileStore({ db: hubs.store.db, changes: hubs.hubs[0], limit: 3 });
});
afterAll(() => hubs[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from cluster`.execute(hubs.store.db);
  await sql`delete from profile`.execute(hubs.store.db);
  for (const name of ["east", "west"])
    await sql`insert into cluster (name, labels, roles, created_at) values (${name}, '{}', '{}', now())`.execute(
      hubs.store.db,
    );
});

const put = (name: string, content: string) => store.put({ name, content, changed_by: "root" });
const choose = (cluster: string, profile: string, isBuiltIn = false) =>
  store.choose({ cluster, profile, isBuiltIn, changed_by: "root" });
const generationOf = async (cluster: string) => Number((await store.findChoice(cluster))?.generation ?? 0);

describe("the generation of a cluster", () => {
  test("rises with each choice of another profile, and with each change of the chosen one", async () => {
    await put("ours", "one");
    expect(await generationOf("east")).toBe(0);
    await choose("east", "ours");
    expect(await generationOf("east")).toBe(1);
    await put("ours", "two");
    expect(await generationOf("east")).toBe(2);
    await choose("east", "truefoundry", true);
    await choose("east", "fairlead", true);
    expect(await generationOf("east")).toBe(4);
  });

  test("stays when the same is said again, and when another profile changes", async () => {
    await put("ours", "one");
    await put("theirs", "one");
    await choose("east", "ours");
    await choose("east", "ours");
    await put("ours", "one");
    await put("theirs", "two");
    await choose("west", "fairlead", true);
    expect(await generationOf("east")).toBe(1);
    expect(await generationOf("west")).toBe(0);
  });

  test("begins anew with a cluster that is made anew", async () => {
    await choose("east", "truefoundry", true);
    await sql`delete from cluster where name = 'east'`.execute(hubs.store.db);
    expect(await generationOf("east")).toBe(0);
  });
});

describe("a profile", () => {
  test("is one of so many", async () => {
    for (const name of ["a", "b", "c"]) await put(name, "one");
    await expect(put("d", "one")).rejects.toThrow(expect.objectContaining({ code: "PROFILE_TOO_MANY" }));
    await put("c", "two");
    await store.remove("a");
    await put("d", "one");
  });

  test("isn't removed as long as a cluster is examined by it, nor chosen when it is gone", async () => {
    await put("ours", "one");
    await choose("east", "ours");
    await expect(store.remove("ours")).rejects.toThrow(expect.objectContaining({ code: "PROFILE_IN_USE" }));
    await choose("east", "fairlead", true);
    await store.remove("ours");
    await expect(store.remove("ours")).rejects.toThrow(expect.objectContaining({ code: "PROFILE_NOT_FOUND" }));
    await expect(choose("east", "ours")).rejects.toThrow(expect.objectContaining({ code: "PROFILE_NOT_FOUND" }));
    await expect(choose("gone", "truefoundry", true)).rejects.toThrow(
      expect.objectContaining({ code: "PROFILE_CLUSTER_NOT_FOUND" }),
    );
  });

  test("is either removed or chosen, whoever comes first", async () => {
    const other = createProfileStore({ db: hubs.store.db, changes: hubs.hubs[1] });
    for (let round = 0; round < 10; round++) {
      await put("ours", "one");
      await Promise.allSettled([other.remove("ours"), choose("east", "ours")]);
      const isThere = (await store.find("ours")) !== undefined;
      expect((await store.findChoice("east"))?.profile === "ours").toBe(isThere);
      await choose("east", "fairlead", true);
    }
  });
});

test("what one hub is told the other tells agents, each content with its generation, and the same only once", async () => {
  await using orders = followOrders({ db: hubs.store.db, changes: hubs.hubs[1] });
  const told: ExamineOrder[] = [];
  using _east = orders.follow("east", (order) => told.push(order));
  await expect.poll(() => told).toEqual([{ generation: 0, profile: "fairlead", content: "" }]);
  await put("ours", "one");
  await choose("west", "ours");
  await choose("east", "ours");
  await hubs.hubs[1].settled();
  await put("ours", "two");
  await hubs.hubs[1].settled();
  expect(told.slice(1)).toEqual([
    { generation: 1, profile: "ours", content: "one" },
    { generation: 2, profile: "ours", content: "two" },
  ]);
  const another = vi.fn();
  orders.follow("west", another)[Symbol.dispose]();
  expect(another.mock.calls).toEqual([[{ generation: 2, profile: "ours", content: "two" }]]);
  await choose("west", "truefoundry", true);
  await hubs.hubs[1].settled();
  expect(another).toHaveBeenCalledTimes(1);
});
