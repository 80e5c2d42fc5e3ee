// Subscriptions to clusters' channels: one call to a cluster for all who listen to the same one. While the cluster is away
// a subscription is silent; it is taken up again when the cluster is back, and its listeners are told then, since nobody
// knows what they have missed.
import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import type { CachedKey } from "./cached-key.ts";
import type { ClusterTrees } from "./cluster-trees.ts";
import { resourceTreeErrors } from "./errors.ts";
import type { TreePlace } from "./place-of-key.ts";

export interface TreeWatches extends Disposable {
  /** Throws RESOURCE_TREE_CLUSTER_BUSY. */
  listen(place: TreePlace, key: CachedKey, onChanged: () => void): Disposable;
}

export function createTreeWatches(options: {
  readonly trees: Pick<ClusterTrees, "watch">;
  readonly clock: Clock;
  readonly random?: () => number;
}): TreeWatches {
  const { trees, clock, random = Math.random } = options;
  const byCluster = new Map<string, Map<string, Watch>>();
  const stopping = new AbortController();
  return {
    listen(place, key, onChanged) {
      const { cluster, namespace } = place;
      const watches = byCluster.get(cluster) ?? new Map<string, Watch>();
      const id = [key.part, namespace, key.name, key.cacheVersion].join("|");
      let watch = watches.get(id);
      if (!watch) {
        if (watches.size === mostOfCluster) throw resourceTreeErrors.RESOURCE_TREE_CLUSTER_BUSY({ cluster });
        watch = { listeners: new Set(), ending: new AbortController() };
        byCluster.set(cluster, watches.set(id, watch));
        void follow(place, key, watch);
      }
      const { listeners, ending } = watch;
      const listener = (): void => onChanged();
      listeners.add(listener);
      return {
        [Symbol.dispose]() {
          if (!listeners.delete(listener) || listeners.size > 0) return;
          ending.abort();
          watches.delete(id);
          if (watches.size === 0) byCluster.delete(cluster);
        },
      };
    },
    [Symbol.dispose]: () => stopping.abort(),
  };

  async function follow(place: TreePlace, key: CachedKey, { listeners, ending }: Watch): Promise<void> {
    const signal = AbortSignal.any([ending.signal, stopping.signal]);
    const backoff = new Backoff({ baseMs: 500, maxMs: longestWaitMs, random });
    let isFirst = true;
    while (!signal.aborted) {
      try {
        for await (const _ of trees.watch(place, key, signal)) {
          // The first message of the first call says only that it is listened to.
          if (!isFirst) for (const tell of listeners) tell();
          isFirst = false;
          backoff.reset();
        }
      } catch {
        // The link broke, or the cluster can't: asked again all the same.
      }
      isFirst = false;
      await sleep(Math.max(shortestWaitMs, backoff.nextMs()), { clock, signal }).catch(() => undefined);
    }
  }
}

interface Watch {
  readonly listeners: Set<() => void>;
  readonly ending: AbortController;
}

/** Each takes credit of the cluster's links: all together no more than half of it. */
const mostOfCluster = 128;
const shortestWaitMs = 250;
const longestWaitMs = 5_000;
