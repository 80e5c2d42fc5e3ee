import type { AlarmStore } from "./alarm-store.ts";

/** How many alarms nobody has seen yet, in memory. */
export interface AlarmCounts {
  of(cluster: string): number;
  /** Asks the database again. */
  count(clusters: readonly string[]): Promise<void>;
  forget(cluster: string): void;
}

export async function openAlarmCounts(store: Pick<AlarmStore, "count">): Promise<AlarmCounts> {
  const counts = await store.count();
  const countedAt = new Map<string, number>();
  let counting = 0;

  return {
    of: (cluster) => counts.get(cluster) ?? 0,
    async count(clusters) {
      if (clusters.length === 0) return;
      counting += 1;
      const turn = counting;
      const found = await store.count(clusters);
      for (const cluster of clusters) {
        // A later question gets an answer that knows at least as much.
        if (turn < (countedAt.get(cluster) ?? 0)) continue;
        countedAt.set(cluster, turn);
        counts.set(cluster, found.get(cluster) ?? 0);
      }
    },
    forget(cluster) {
      counts.delete(cluster);
      // Answers that are under way are of the one that is gone.
      counting += 1;
      countedAt.set(cluster, counting);
    },
  };
}
