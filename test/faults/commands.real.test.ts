// Commands of all kinds while their agents and the hub die.
import { sharedCluster } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { runCommandStorm } from "../command-storm/index.ts";

test("commands end once, as their effects say, whatever dies", { timeout: 600_000 }, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { faults, counts, broken } = await runCommandStorm({
    seconds: 20,
    seed,
    targets: 2,
    pauseMs: [500, 3_000],
    calmSeconds: [1, 4],
    // An agent that stands still for longer than a lease takes too long here: `npm run chaos -- commands` has it.
    faults: ["agent-killed", "cable-cut", "hub-killed", "agent-stopped"],
    clusters: [await sharedCluster()],
  });
  expect(broken, `seed ${seed}, ${JSON.stringify(counts)}`).toEqual([]);
  expect(faults).toBeGreaterThan(0);
  expect(counts["manifests succeeded"] ?? 0, `seed ${seed}`).toBeGreaterThan(0);
});
