import { startCluster } from "@fairlead/testkit";
import { runCommandStorm } from "../test/command-storm/index.ts";
import type { ExperimentOptions } from "./experiment.ts";

export async function chaosCommands(options: ExperimentOptions): Promise<boolean> {
  const { seed, seconds = 300, onProgress } = options;
  onProgress("starting two clusters");
  await using undo = new AsyncDisposableStack();
  const clusters = [];
  for (const name of ["east", "west"]) clusters.push(undo.use(await startCluster({ name, nodes: 1 })));
  const { faults, counts, broken } = await runCommandStorm({
    seconds,
    clusters,
    seed,
    onProgress,
    targets: 3,
    pauseMs: [1_000, 8_000],
    calmSeconds: [2, 10],
    faults: [
      "agent-killed",
      "cable-cut",
      "api-server-restarted",
      "hub-killed",
      "disk-full",
      "agent-stands",
      "clock-stepped",
      "agent-stopped",
    ],
  });
  const seen = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  onProgress(`${faults} faults; ${seen.sort().join(", ")}; ${broken.length} broken`);
  return broken.length === 0;
}
