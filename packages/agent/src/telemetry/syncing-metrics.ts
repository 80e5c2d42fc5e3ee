import type { GitopsStats } from "../gitops/index.ts";

export interface SyncingSource {
  readonly isLeading: boolean;
  stats(): GitopsStats;
}

/** The metrics that the role gitops adds to an agent's. */
export function readSyncing(
  source: SyncingSource,
  add: {
    gauge(name: string, help: string, read: () => number): void;
    labelled(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void;
  },
): void {
  const stats = (): GitopsStats => source.stats();
  add.gauge("fairlead_agent_gitops_leading", "1 while this agent syncs Argo CD's applications.", () =>
    source.isLeading ? 1 : 0,
  );
  add.gauge("fairlead_agent_gitops_connected", "1 while the hub syncs them with it.", () =>
    stats().isConnected ? 1 : 0,
  );
  add.labelled("fairlead_agent_gitops_objects", "Objects at this end.", "flow", () => stats().objects);
  add.labelled(
    "fairlead_agent_gitops_pending_changes",
    "Changes that the hub hasn't committed.",
    "flow",
    () => stats().pending,
  );
  add.labelled(
    "fairlead_agent_gitops_refused_objects",
    "Objects of the cluster that the hub doesn't take now.",
    "flow",
    () => stats().refused,
  );
  add.labelled(
    "fairlead_agent_gitops_drifted_objects",
    "Copies that aren't as the hub has them.",
    "flow",
    () => stats().drifted,
  );
  add.gauge(
    "fairlead_agent_gitops_oldest_pending_seconds",
    "Age of the oldest pending change.",
    () => stats().oldestPendingMs / 1000,
  );
}
