import type { HubClient, RolloutCluster } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { watchList } from "../watch-list.ts";
import { listAll } from "./finish-rollout.ts";
import { clusterHeading, formatRolloutState, toClusterRow } from "./rollout-text.ts";

/** Prints each cluster again when it changes, and says how the rollout is, until it has ended. */
export function watchRollout(context: CommandContext, hub: HubClient, id: string): Promise<void> {
  const { output, signal } = context;
  let told = "";
  let isOver = false;
  return watchList<RolloutCluster>(context, {
    heading: clusterHeading,
    read: async () => {
      // First how the rollout is: the clusters of one that has ended don't change any more.
      const rollout = await hub.getRollout(id, { signal });
      isOver = rollout.finishedAt !== undefined;
      const state = formatRolloutState(rollout);
      if (state !== told) output.remark(`${output.safe(id)} is ${state}.`);
      told = state;
      return listAll(hub, id, {}, signal);
    },
    keyOf: ({ cluster }) => cluster,
    markOf: (cluster) => cluster,
    toRow: (cluster) => toClusterRow(context, cluster),
    isOver: () => isOver,
  });
}
