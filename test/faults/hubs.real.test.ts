// Hubs that share a database are killed, stand still and are cut off, under clients of all kinds.
import { sharedCluster } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { runHubStorm } from "../hub-storm/index.ts";

test("hubs that fail in turn lose nothing, mix nothing up, and serve nobody who may not be served", {
  timeout: 600_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { faults, counts, broken } = await runHubStorm({
    seconds: 30,
    seed,
    agentCount: 3,
    pauseSeconds: [8, 10],
    // Standing still would take a third of the time: `npm run chaos -- hubs` does that, too.
    kinds: ["kill", "database", "hubs", "agents"],
    clusters: [await sharedCluster()],
  });
  expect(broken, `seed ${seed}, ${JSON.stringify(counts)}`).toEqual([]);
  expect(faults).toBeGreaterThan(0);
  for (const what of ["reads answered", "writes acknowledged", "watches begun"])
    expect(counts[what] ?? 0, `${what}, seed ${seed}`).toBeGreaterThan(0);
});
