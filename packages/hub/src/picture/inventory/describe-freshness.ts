import type { Clusters } from "../../reach/clusters/index.ts";
import type { Freshness } from "./freshness.ts";
import type { InventoryReader } from "./types.ts";

/** How old the copy of a cluster is, and why. */
export function describeFreshness(options: {
  readonly cluster: string;
  readonly clusters: Pick<Clusters, "state" | "uids">;
  readonly freshness: Pick<Freshness, "describe">;
  readonly nowMs: number;
}): ReturnType<InventoryReader["freshness"]> {
  const { cluster, clusters, freshness, nowMs } = options;
  const { state, sinceMs, reason } = clusters.state(cluster);
  const { verifiedMs, ...described } = freshness.describe(cluster);
  const { known, replacement } = clusters.uids(cluster);
  return {
    cluster,
    state,
    stateSince: new Date(sinceMs).toISOString(),
    reason,
    ...described,
    ...(verifiedMs !== undefined && {
      verifiedAt: new Date(verifiedMs).toISOString(),
      ageMs: Math.max(0, nowMs - verifiedMs),
    }),
    kubeSystemUid: known,
    replacementUid: replacement,
  };
}
