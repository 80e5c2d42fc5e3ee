// The agents of a cluster send logs as fast as they like. The hub does a few things for logs at once, so that they don't
// take its connections to the database from others; each cluster has one turn at a time, a few more wait, and a rate is kept
// by asking agents to wait.
import { type Clock, createTurns } from "@fairlead/kernel";
import { Bucket } from "../../platform/limits/index.ts";
import { runErrors } from "./errors.ts";

export interface ClusterTurns {
  /** One after the other of a cluster. Throws COMMAND_LOG_BUSY. */
  run<T>(cluster: string, work: () => Promise<T>): Promise<T>;
  /** For how long the cluster should send nothing after these bytes. */
  pace(cluster: string, sizeBytes: number): number;
}

export function createClusterTurns(options: { readonly clock: Clock; readonly bytesPerSecond: number }): ClusterTurns {
  const { clock, bytesPerSecond } = options;
  const shares = new Map<string, Share>();
  const free: (() => void)[] = [];
  let running = 0;
  return {
    async run(cluster, work) {
      const share = shares.get(cluster) ?? {
        ...{ inTurn: createTurns(), waiting: 0, atMs: clock.now() },
        bucket: new Bucket(bytesPerSecond, clock.now()),
      };
      shares.set(cluster, share);
      if (share.waiting >= mostWaiting) throw runErrors.COMMAND_LOG_BUSY();
      share.waiting += 1;
      share.atMs = clock.now();
      try {
        return await share.inTurn(() => runAmongAll(work));
      } finally {
        share.waiting -= 1;
        forgetIdle();
      }
    },
    pace(cluster, sizeBytes) {
      const waitMs = shares.get(cluster)?.bucket.take(sizeBytes, bytesPerSecond, clock.now()) ?? 0;
      return Math.min(waitMs, longestWaitMs);
    },
  };

  async function runAmongAll<T>(work: () => Promise<T>): Promise<T> {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => free.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits longest takes the place over.
      const next = free.shift();
      if (next) next();
      else running -= 1;
    }
  }

  /** One that has waited for so long has no debt any more. */
  function forgetIdle(): void {
    if (shares.size < 64) return;
    for (const [cluster, { waiting, atMs }] of shares) {
      if (waiting === 0 && clock.now() - atMs > idleMs) shares.delete(cluster);
    }
  }
}

interface Share {
  readonly inTurn: ReturnType<typeof createTurns>;
  readonly bucket: Bucket;
  waiting: number;
  atMs: number;
}

const mostAtOnce = 3;
const mostWaiting = 8;
const longestWaitMs = 5_000;
const idleMs = 60_000;
