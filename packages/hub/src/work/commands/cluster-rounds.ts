// Rounds of each cluster by itself: one whose queue is held up doesn't hold up others.
import { createRounds } from "@fairlead/kernel";

export function createClusterRounds<Item, Answer>(options: {
  readonly most: number;
  readonly sizeOf: (item: Item) => number;
  readonly mostSize: number;
  readonly run: (cluster: string, items: readonly Item[]) => Promise<readonly Answer[]>;
}): (cluster: string, item: Item) => Promise<Answer> {
  const { run, ...limits } = options;
  const clusters = new Map<string, { readonly ask: (item: Item) => Promise<Answer>; count: number }>();
  return async (cluster, item) => {
    const own = clusters.get(cluster) ?? {
      ask: createRounds<Item, Answer>({ ...limits, run: (items) => run(cluster, items) }),
      count: 0,
    };
    clusters.set(cluster, own);
    own.count += 1;
    try {
      return await own.ask(item);
    } finally {
      own.count -= 1;
      if (own.count === 0) clusters.delete(cluster);
    }
  };
}
