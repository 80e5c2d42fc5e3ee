import type { GitopsSettings } from "@fairlead/contract";
import { createMovableClock } from "@fairlead/kernel/testing";
import { CachedPart } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { parseCachedKey } from "./cached-key.ts";
import { createClusterOfKey } from "./cluster-of-key.ts";

test("an application is answered for by the cluster whose name its namespace has, and by no other", async () => {
  const clusterOf = open({ east: "managed", west: "managed", off: "off" });
  expect(await clusterOf(key("app|resources-tree|east_web|1.8.3.gz"))).toBe("east");
  expect(await clusterOf(key("app|resources-tree|west_web|1.8.3.gz"))).toBe("west");
  for (const other of ["east-2_web", "eas_t-web", "off_web", "web", "_web", "argocd_east_web", "EAST_web"])
    expect(await clusterOf(key(`app|resources-tree|${other}|1.8.3.gz`))).toBeUndefined();
});

test("a cluster that isn't synced any more isn't asked for long", async () => {
  const clock = createMovableClock();
  const modes: Record<string, GitopsSettings["mode"]> = { east: "managed" };
  const clusterOf = open(modes, clock);
  const web = key("app|managed-resources|east_web|1.8.3");
  expect(await clusterOf(web)).toBe("east");
  modes["east"] = "off";
  clock.move(2_001);
  expect(await clusterOf(web)).toBeUndefined();
});

test("keys are read as Argo CD writes them, and what only looks like one isn't", () => {
  const web = { namespace: "east", name: "web", part: CachedPart.RESOURCES_TREE, shard: 0, cacheVersion: "1.8.3" };
  expect(key("app|resources-tree|east_web|1.8.3.gz")).toEqual({ ...web, isCompressed: true });
  expect(key("app|resources-tree|east_web|1.8.3")).toEqual({ ...web, isCompressed: false });
  expect(key("app|resources-tree|east_web|12|1.8.3.gz")).toEqual({ ...web, shard: 12, isCompressed: true });
  expect(key("app|managed-resources|east_web.v2|1.9.0.gz")).toMatchObject({ name: "web.v2", cacheVersion: "1.9.0" });
  for (const wrong of [
    ...[
      "app|managed-resources|east_web|2|1.8.3.gz",
      "app|resources-tree|east_web|0|1.8.3",
      "app|resources-tree|east_|1",
    ],
    ...["app|resources-tree|east_web", "app|resources-tree|east_web|1.8.3.gz ", "x|resources-tree|east_web|1.8.3"],
    ...["app|resources-tree|east_we*b|1.8.3", `app|resources-tree|east_${"w".repeat(600)}|1.8.3`],
  ])
    expect(key(wrong)).toBeUndefined();
});

function open(modes: Readonly<Record<string, GitopsSettings["mode"]>>, clock = createMovableClock()) {
  return createClusterOfKey({
    exists: (cluster) => cluster in modes,
    readSettings: async (cluster) => ({ cluster, mode: modes[cluster] ?? "off", mapping: "namespace", generation: 1 }),
    clock,
  });
}

function key(text: string) {
  return parseCachedKey(Buffer.from(text));
}
