// Keeps a rate for each cluster by asking its agents to wait.
import type { Clock } from "@fairlead/kernel";
import { Bucket } from "../../platform/limits/index.ts";

export interface ClusterPace {
  /** For how long the cluster should send nothing after these bytes, in milliseconds. */
  take(cluster: string, sizeBytes: number): number;
}

export function createClusterPace(options: { readonly clock: Clock; readonly bytesPerSecond: number }): ClusterPace {
  const { clock, bytesPerSecond } = options;
  const buckets = new Map<string, { readonly bucket: Bucket; atMs: number }>();
  return {
    take(cluster, sizeBytes) {
      const nowMs = clock.steadyMs();
      if (buckets.size >= 64) forgetIdle(nowMs);
      const own = buckets.get(cluster) ?? { bucket: new Bucket(bytesPerSecond, nowMs), atMs: nowMs };
      buckets.set(cluster, own);
      own.atMs = nowMs;
      return Math.min(own.bucket.take(sizeBytes, bytesPerSecond, nowMs), longestWaitMs);
    },
  };

  /** A cluster that has been quiet for so long has little debt. */
  function forgetIdle(nowMs: number): void {
    for (const [cluster, { atMs }] of buckets) if (nowMs - atMs > idleMs) buckets.delete(cluster);
  }
}

const longestWaitMs = 5_000;
const idleMs = 60_000;
