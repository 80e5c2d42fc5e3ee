// Says that a cluster has used up its share: once in a while in the hub's log and among the cluster's events, and to the
// agent in each call.
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { inventoryErrors } from "./errors.ts";
import type { Freshness } from "./freshness.ts";
import type { OnRefused } from "./quota.ts";

export interface LimitNotes {
  /** It reports more kinds than it may. */
  readonly noteSurplus: (cluster: string) => void;
  /** It reports kinds of its own in our group. */
  readonly noteReserved: (cluster: string) => void;
  readonly noteRefused: OnRefused;
  readonly forget: (cluster: string) => void;
}

export function createLimitNotes(options: {
  readonly clusters: Pick<Clusters, "recordEvent">;
  readonly freshness: Freshness;
  readonly maxKinds: number;
  /** The agent that reports it now. */
  readonly tellAgent: (cluster: string, error: FairleadError) => void;
  readonly clock: Clock;
  readonly log: Logger;
}): LimitNotes {
  const { clusters, freshness, maxKinds, tellAgent, clock, log } = options;
  const notedMs = new Map<string, number>();
  return {
    noteSurplus: (cluster) => note(cluster, inventoryErrors.INVENTORY_KINDS_TOO_MANY({ cluster, maxKinds })),
    noteReserved: (cluster) => note(cluster, inventoryErrors.INVENTORY_GROUP_RESERVED({ cluster })),
    noteRefused({ cluster, kind }, error) {
      note(cluster, error);
      const known = freshness.of(cluster)?.kinds.get(kind);
      if (!known) return;
      const { code, message } = error;
      const isNews = known.refused?.code !== code;
      const sinceMs = known.refused?.sinceMs ?? clock.now();
      known.refused = { code, message, sinceMs, isCompared: false };
      if (isNews) freshness.changed(cluster);
    },
    forget(cluster) {
      for (const key of notedMs.keys()) if (key.startsWith(`${cluster} `)) notedMs.delete(key);
    },
  };

  function note(cluster: string, error: FairleadError): void {
    tellAgent(cluster, error);
    const key = `${cluster} ${error.code}`;
    if (clock.steadyMs() - (notedMs.get(key) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return;
    notedMs.set(key, clock.steadyMs());
    log.warn({ cluster, code: error.code }, error.message);
    const event = { type: "inventory-limited", message: `${error.message} (${error.code})` } as const;
    clusters.recordEvent(cluster, event).catch((failed: unknown) => {
      log.warn({ err: failed, cluster }, "can't record that a cluster's copy is limited");
    });
  }
}

const noteEveryMs = 3_600_000;
