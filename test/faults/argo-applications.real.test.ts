// Applications of managed clusters while their agents and the hub that owns their sync die.
import { sharedCluster } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { runApplicationStorm } from "../application-storm/index.ts";

test("applications are the same on both sides in the end, and each sync is run once, whatever dies and whichever hub owns the sync", {
  timeout: 600_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const cluster = await sharedCluster();
  const { faults, counts, broken } = await runApplicationStorm({
    seconds: 20,
    seed,
    center: cluster,
    clusters: [cluster, cluster],
    applications: 20,
    pauseMs: 30,
    hubCount: 2,
    faults: ["hub-killed", "cable-cut", "hub-killed", "agent-killed"],
    calmSeconds: [1, 4],
  });
  expect(broken, `seed ${seed}, ${JSON.stringify(counts)}`).toEqual([]);
  expect(faults).toBeGreaterThan(0);
  expect(counts["owners followed"] ?? 0, `seed ${seed}`).toBeGreaterThan(0);
  expect(counts["syncs run"] ?? 0, `seed ${seed}`).toBeGreaterThan(0);
});
