// Compares the rights that subscriptions began with to those that hold now. Views judge by the new rights at once; here
// those whose rights became others end, so that they begin again with what is theirs now. Many changes at a time are
// one look.
import { setImmediate } from "node:timers/promises";
import type { KindScope } from "../objects/index.ts";

export interface Watched {
  /** Forgets what was found out about rights before. */
  reset(): void;
  /** The caller may see what they could when it began, no less and no more. */
  isSame(): Promise<boolean>;
  /** The clusters at the beginning. */
  readonly clusters: ReadonlySet<string>;
  readonly isOpen: boolean;
  end(): void;
  /** The database isn't where it was. */
  beginAnew(): void;
}

export interface Rechecks {
  /** Rises whenever rights may have changed. */
  readonly epoch: number;
  rightsChanged(): void;
  clusterRemoved(cluster: string): void;
  historyLost(): void;
}

export function createRechecks(watched: ReadonlySet<Watched>): Rechecks {
  let epoch = 0;
  let isLooking = false;
  return {
    get epoch() {
      return epoch;
    },
    rightsChanged() {
      epoch += 1;
      for (const one of watched) one.reset();
      if (!isLooking) void look();
    },
    clusterRemoved(cluster) {
      epoch += 1;
      for (const one of [...watched]) {
        one.reset();
        // Nothing is left of its objects that could be told as gone.
        if (one.clusters.has(cluster)) one.end();
      }
    },
    historyLost() {
      epoch += 1;
      for (const one of [...watched]) one.beginAnew();
    },
  };

  async function look(): Promise<void> {
    isLooking = true;
    let seen: number;
    do {
      seen = epoch;
      for (const one of [...watched]) {
        const isSame = await one.isSame().catch(() => false);
        if (one.isOpen && !isSame) one.end();
        // There may be thousands.
        await setImmediate();
      }
    } while (seen !== epoch);
    isLooking = false;
  }
}

/** The same in whatever order things were found. */
export function describeScopes(scopes: readonly KindScope[]): string {
  const described = scopes.map(({ kind, clusters, namespaces }) => {
    const parts = [...namespaces].map(([cluster, names]) => [cluster, names.toSorted()]);
    return JSON.stringify([
      kind,
      clusters.toSorted(),
      parts.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
    ]);
  });
  return described.sort().join();
}
