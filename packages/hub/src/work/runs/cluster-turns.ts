// The agents of a cluster ask as often as they like. Each cluster has a few turns at a time, a few more wait, and the hub does
// a few things of all of them at once: they don't take its connections to the database from others.
import { type FairleadError, Slots } from "@fairlead/kernel";

export interface ClusterTurns {
  /** Throws what `busy` gives when too much waits. */
  run<T>(cluster: string, work: () => Promise<T>): Promise<T>;
}

export function createClusterTurns(options: {
  /** At once. */
  readonly ofCluster: number;
  readonly ofAll: number;
  /** The most calls of a cluster, those whose turn it is included. */
  readonly waiting: number;
  readonly busy: () => FairleadError;
}): ClusterTurns {
  const { ofCluster, ofAll, waiting, busy } = options;
  const clusters = new Map<string, { readonly slots: Slots; count: number }>();
  const all = new Slots(ofAll);
  return {
    async run(cluster, work) {
      const own = clusters.get(cluster) ?? { slots: new Slots(ofCluster), count: 0 };
      if (own.count >= waiting) throw busy();
      clusters.set(cluster, own);
      own.count += 1;
      try {
        return await within(own.slots, () => within(all, work));
      } finally {
        own.count -= 1;
        if (own.count === 0) clusters.delete(cluster);
      }
    },
  };
}

async function within<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  const leave = await slots.enter();
  try {
    return await work();
  } finally {
    leave();
  }
}
