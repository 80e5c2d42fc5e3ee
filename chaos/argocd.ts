import { startCluster } from "@fairlead/testkit";
import { runApplicationStorm } from "../test/application-storm/index.ts";
import type { ExperimentOptions } from "./experiment.ts";

export async function chaosArgocd(options: ExperimentOptions): Promise<boolean> {
  const { seed, seconds = 120, onProgress } = options;
  onProgress("starting three clusters");
  await using undo = new AsyncDisposableStack();
  const clusters = [];
  for (const name of ["center", "east", "west"]) clusters.push(undo.use(await startCluster({ name, nodes: 1 })));
  const [center, ...managed] = clusters;
  if (center === undefined) throw new Error("this takes a cluster");
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) onProgress("the hub's disk is never full: only root may mount one");
  const { faults, counts, broken } = await runApplicationStorm({
    seconds,
    seed,
    center,
    clusters: managed,
    applications: 100,
    pauseMs: 10,
    hasStockArgo: true,
    onProgress,
    faults: [
      "cable-cut",
      "hub-killed",
      "hub-api-server-restarted",
      "api-server-restarted",
      "agent-killed",
      "etcd-restored",
      "clock-stepped",
      "hub-clock-stepped",
      "agent-stopped",
      ...(isRoot ? (["hub-disk-full"] as const) : []),
    ],
    calmSeconds: [2, 8],
  });
  const seen = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  onProgress(`${faults} faults; ${seen.sort().join(", ")}; ${broken.length} broken`);
  return broken.length === 0;
}
