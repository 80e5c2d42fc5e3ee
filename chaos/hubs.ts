import { startCluster } from "@fairlead/testkit";
import { runHubStorm } from "../test/hub-storm/index.ts";
import type { ExperimentOptions } from "./experiment.ts";

export async function chaosHubs(options: ExperimentOptions): Promise<boolean> {
  const { seed, seconds = 300, onProgress } = options;
  onProgress("starting two clusters");
  await using undo = new AsyncDisposableStack();
  const clusters = [];
  for (const name of ["east", "west"]) clusters.push(undo.use(await startCluster({ name, nodes: 1 })));
  const pauseSeconds = [8, 40] as const;
  const storm = { seconds, clusters, agentCount: 20, seed, pauseSeconds, onProgress };
  const { faults, counts, broken } = await runHubStorm(storm);
  const seen = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  onProgress(`${faults} faults; ${seen.sort().join(", ")}; ${broken.length} broken`);
  return broken.length === 0;
}
