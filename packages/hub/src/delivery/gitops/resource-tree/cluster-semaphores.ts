// So many requests of a cluster are in flight at once. Others wait for their turn, each for as long as it likes, and none
// for one of another cluster.
import { orAbort } from "@fairlead/kernel";

export interface ClusterSemaphores {
  /** Rejects with the signal's reason. The place is given back by disposing of it. */
  enter(cluster: string, signal: AbortSignal): Promise<Disposable>;
}

export function createClusterSemaphores(most: number): ClusterSemaphores {
  const byCluster = new Map<string, { taken: number; readonly waiting: Set<() => void> }>();
  return {
    async enter(cluster, signal) {
      const places = byCluster.get(cluster) ?? { taken: 0, waiting: new Set() };
      byCluster.set(cluster, places);
      if (places.taken < most) places.taken += 1;
      else await waitIn(places.waiting, signal);
      let isIn = true;
      return {
        [Symbol.dispose]() {
          if (!isIn) return;
          isIn = false;
          const [next] = places.waiting;
          if (next) next();
          else if (--places.taken === 0) byCluster.delete(cluster);
        },
      };
    },
  };
}

/** A place that is given back goes to the first in line. */
async function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const turn = Promise.withResolvers<void>();
  const call = (): void => {
    waiting.delete(call);
    turn.resolve();
  };
  waiting.add(call);
  try {
    await orAbort(turn.promise, signal);
  } catch (reason) {
    // Called and aborted at once: the place goes on to the next.
    if (!waiting.delete(call)) waiting.values().next().value?.();
    throw reason;
  }
}
