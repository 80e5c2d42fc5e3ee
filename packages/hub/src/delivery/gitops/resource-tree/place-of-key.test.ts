import type { GitopsMapping, GitopsMode } from "@fairlead/contract";
import { createMovableClock } from "@fairlead/kernel/testing";
import { CachedPart, type GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { parseCachedKey } from "./cached-key.ts";
import { createPlaceOfKey } from "./place-of-key.ts";

test("an application is answered for by the cluster whose name its namespace has, and by no other", async () => {
  const { placeOf, asked } = open({ east: "managed", west: "managed", off: "off" });
  expect(await placeOf(key("app|resources-tree|east_web|1.8.3.gz"))).toEqual({ cluster: "east", namespace: "" });
  expect(await placeOf(key("app|resources-tree|west_web|1.8.3.gz"))).toEqual({ cluster: "west", namespace: "" });
  for (const other of ["east-2_web", "eas_t-web", "off_web", "web", "_web", "argocd_east_web", "EAST_web"])
    expect(await placeOf(key(`app|resources-tree|${other}|1.8.3.gz`))).toBeUndefined();
  expect(asked).toEqual([]);
});

test("by destination the application's own cluster is asked, where its copy is", async () => {
  const { placeOf } = open({ east: "destination", west: "destination", north: "managed" });
  const found = async (instance: string) => await placeOf(key(`app|resources-tree|${instance}|1.8.3.gz`));
  expect(await found("team_to-east")).toEqual({ cluster: "east", namespace: "team" });
  expect(await found("team_to-west")).toEqual({ cluster: "west", namespace: "team" });
  expect(await found("to-east")).toEqual({ cluster: "east", namespace: "" });
  expect(await found("east_to-east")).toEqual({ cluster: "east", namespace: "" });
  expect(await found("north_to-east")).toEqual({ cluster: "north", namespace: "" });
  for (const others of [
    "team_to-north",
    "team_to-nowhere",
    "team_missing",
    "to-in-cluster",
    "west_to-east",
    "x_to-east",
  ])
    expect(await found(others)).toBeUndefined();
});

test("a page that asks several times has the application looked up once, and sees where it went soon after", async () => {
  const clock = createMovableClock();
  const { placeOf, asked, moved } = open({ east: "destination", west: "destination" }, clock);
  const tree = key("app|resources-tree|team_to-east|1.8.3.gz");
  for (const each of [tree, key("app|managed-resources|team_to-east|1.8.3"), tree])
    expect(await placeOf(each)).toMatchObject({ cluster: "east" });
  expect(asked).toEqual(["team/to-east"]);
  moved.set("team/to-east", "west");
  clock.move(2_001);
  expect(await placeOf(tree)).toEqual({ cluster: "west", namespace: "team" });
});

test("whatever is asked for, no more than a thousand answers are kept", async () => {
  const { placeOf, asked } = open({ east: "destination" });
  for (let index = 0; index <= 1_000; index++) await placeOf(key(`app|resources-tree|team_web-${index}|1.8.3`));
  await placeOf(key("app|resources-tree|team_web-1000|1.8.3"));
  expect(asked).toHaveLength(1_001);
  await placeOf(key("app|resources-tree|team_web-0|1.8.3"));
  expect(asked).toHaveLength(1_002);
});

test("a cluster that isn't synced any more isn't asked for long", async () => {
  const clock = createMovableClock();
  const modes: Modes = { east: "managed" };
  const { placeOf } = open(modes, clock);
  const web = key("app|managed-resources|east_web|1.8.3");
  expect(await placeOf(web)).toMatchObject({ cluster: "east" });
  modes["east"] = "off";
  clock.move(2_001);
  expect(await placeOf(web)).toBeUndefined();
});

test("keys are read as Argo CD writes them, and what only looks like one isn't", () => {
  const web = { namespace: "east", name: "web", part: CachedPart.RESOURCES_TREE, shard: 0, cacheVersion: "1.8.3" };
  expect(key("app|resources-tree|east_web|1.8.3.gz")).toEqual({ ...web, isCompressed: true });
  expect(key("app|resources-tree|east_web|1.8.3")).toEqual({ ...web, isCompressed: false });
  expect(key("app|resources-tree|east_web|12|1.8.3.gz")).toEqual({ ...web, shard: 12, isCompressed: true });
  expect(key("app|resources-tree|web|12|1.8.3.gz")).toEqual({ ...web, namespace: "", shard: 12, isCompressed: true });
  expect(key("app|managed-resources|east_web.v2|1.9.0.gz")).toMatchObject({ name: "web.v2", cacheVersion: "1.9.0" });
  for (const wrong of [
    "app|managed-resources|east_web|2|1.8.3.gz",
    "app|resources-tree|east_web|0|1.8.3",
    "app|resources-tree|east_|1",
    "app|resources-tree|_web|1.8.3",
    "app|resources-tree|east_web",
    "app|resources-tree|east_web|1.8.3.gz ",
    "x|resources-tree|east_web|1.8.3",
    "app|resources-tree|east_we*b|1.8.3",
    `app|resources-tree|east_${"w".repeat(600)}|1.8.3`,
  ])
    expect(key(wrong)).toBeUndefined();
});

type Modes = Record<string, GitopsMode | Extract<GitopsMapping, "destination">>;

/** Applications are there by names that say where they go: `to-CLUSTER`. */
function open(modes: Modes, clock = createMovableClock()) {
  const asked: string[] = [];
  const moved = new Map<string, string>();
  const placeOf = createPlaceOfKey({
    listSettings: async () =>
      Object.entries(modes).map(([cluster, mode]) => ({
        cluster,
        ...(mode === "destination" ? { mode: "managed", mapping: mode } : { mode, mapping: "namespace" }),
      })),
    async findApplication(namespace, name) {
      asked.push(`${namespace}/${name}`);
      const cluster = moved.get(`${namespace}/${name}`) ?? /^to-(.*)$/.exec(name)?.[1];
      return cluster === undefined ? undefined : application(namespace, name, cluster);
    },
    rules: { argoNamespace: "argocd", applicationNamespaces: ["team*"] },
    clock,
  });
  return { placeOf, asked, moved };
}

function application(namespace: string, name: string, cluster: string): GitopsObject {
  const spec = { destination: { name: cluster, namespace: "shop" } };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { namespace, name }, spec };
}

function key(text: string) {
  return parseCachedKey(Buffer.from(text));
}
