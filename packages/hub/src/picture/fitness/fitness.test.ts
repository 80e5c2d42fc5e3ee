import type { FitnessList, FitnessQuery } from "@fairlead/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAgeReader } from "../objects/index.ts";
import { caller, kinds, type ObjectsHarness, setObjectsHarness } from "../objects/objects-harness.fixture.ts";
import { openFitness } from "./index.ts";
import type { Fitness } from "./service.ts";

const clusters = ["east", "north", "west"];
const everything = caller("everything", { clusters });
const examinations = {
  kind: "examinations.fairlead.dev",
  group: "fairlead.dev",
  version: "v1",
  resource: "examinations",
  kindName: "Examination",
  namespaced: false,
  shortNames: [],
};
let harness: ObjectsHarness;
let room: Parameters<typeof openFitness>[0];
let fitness: Fitness;

beforeAll(async () => {
  harness = await setObjectsHarness(clusters);
  const ages = createAgeReader({
    inventory: harness.inventory,
    clusters: { exists: (name) => clusters.includes(name) },
  });
  room = { queries: harness.db, objects: harness.objects, ages, inventory: harness.inventory };
  fitness = openFitness(room);
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());

beforeEach(clear);

test("one answer has all clusters by name, each with its age; of one that says nothing there is nothing", async () => {
  await examined("west", { fitness: "fit", addons: [{ id: "keda", need: "optional", state: "absent" }] });
  await examined("east", { fitness: "unfit" });
  harness.freshness.set("west", { state: "offline" });
  expect(await ask()).toMatchObject({
    items: [
      { cluster: "east", age: { state: "connected" }, found: { fitness: "unfit", addons: [] } },
      { cluster: "north", age: { cluster: "north" } },
      { cluster: "west", age: { state: "offline" }, found: { fitness: "fit", addons: [{ id: "keda" }] } },
    ],
  });
  expect((await ask()).items[1]?.found).toBeUndefined();
});

test("nobody sees a cluster that he may not know of, nor findings where he may not list examinations", async () => {
  for (const name of clusters) await examined(name, { fitness: `${name} is fit` });
  const some = caller("of east", { clusters: ["east"] });
  expect((await ask({}, some)).items.map(({ cluster }) => cluster)).toEqual(["east"]);
  await expect(ask({ cluster: "west" }, some)).rejects.toMatchObject({ code: "OBJECTS_CLUSTER_UNKNOWN" });
  const ofNamespace = caller("of a namespace", { clusters: ["east"], namespaces: ["shop"] });
  await expect(ask({}, ofNamespace)).rejects.toMatchObject({ code: "OBJECTS_FORBIDDEN" });
});

test("where only some clusters may be read, the others are there without findings, and say why", async () => {
  for (const name of clusters) await examined(name, { fitness: "fit" });
  const some = caller("blind in the west", { clusters, blind: ["west"] });
  expect((await ask({}, some)).items.map(({ age, found }) => [age.missing?.[0]?.reason, found?.fitness])).toEqual([
    [undefined, "fit"],
    [undefined, "fit"],
    ["forbidden", undefined],
  ]);
});

test("an object of another name is no examination of the cluster, and a deleted one none any more", async () => {
  await examined("east", { fitness: "forged" }, "other");
  const uid = await examined("west", { fitness: "fit" });
  await harness.change(uid, { deletedAt: new Date() });
  expect((await ask()).items.map(({ found }) => found)).toEqual([undefined, undefined, undefined]);
});

test("an answer follows what agents say", async () => {
  await examined("east", { fitness: "fit" });
  expect((await ask()).items[0]?.found?.fitness).toBe("fit");
  await clear();
  await examined("east", { fitness: "unfit" });
  expect((await ask()).items[0]?.found?.fitness).toBe("unfit");
});

test("pages go on where the one before ended", async () => {
  for (const name of clusters) await examined(name, { fitness: "fit" });
  const first = await ask({ limit: 2 });
  expect(first.items.map(({ cluster }) => cluster)).toEqual(["east", "north"]);
  expect(await ask({ limit: 2, cursor: first.next })).toMatchObject({ items: [{ cluster: "west" }] });
  expect((await ask({ limit: 2, cursor: first.next })).next).toBeUndefined();
});

test("a page ends before it has too many bytes, and has one cluster at least", async () => {
  const addons = Array.from({ length: 100 }, (_, index) => ({
    id: `addon-${index}`,
    need: "optional",
    state: "absent",
  }));
  for (const name of clusters) await examined(name, { fitness: "fit", addons });
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ cursor }, everything, openFitness({ ...room, maxAnswerBytes: 15_000 }));
    pages.push(page.items.map(({ cluster }) => cluster));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(pages).toEqual([["east", "north"], ["west"]]);
  const narrow = openFitness({ ...room, maxAnswerBytes: 10 });
  expect((await ask({}, everything, narrow)).items).toHaveLength(1);
});

test("an examination that is larger than any agent makes it is left out, and the others are there", async () => {
  await examined("east", { fitness: "fit", text: "again and ".repeat(100_000) });
  await examined("west", { fitness: "fit" });
  expect((await ask()).items.map(({ found }) => found?.fitness)).toEqual([undefined, undefined, "fit"]);
});

async function ask(query: FitnessQuery = {}, principal = everything, of = fitness): Promise<FitnessList> {
  return JSON.parse(await of.list(query, { principal })) as FitnessList;
}

async function examined(cluster: string, status: object, name = "cluster"): Promise<string> {
  return await harness.add(cluster, "examinations.fairlead.dev", { name, status });
}

async function clear(): Promise<void> {
  await harness.clear();
  for (const name of clusters) harness.kindsOf.set(name, [...kinds, examinations]);
}
