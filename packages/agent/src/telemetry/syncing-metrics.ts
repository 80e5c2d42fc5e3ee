import type { GitopsStats } from "../gitops/index.ts";
import { type AgentMeter, byLabel } from "./meter.ts";

export interface SyncingSource {
  readonly isLeading: boolean;
  stats(): GitopsStats;
}

/** The metrics that the role gitops adds to an agent's. */
export function readSyncing(meter: AgentMeter, source: SyncingSource): void {
  const stats = (): GitopsStats => source.stats();
  meter.add("fairlead_agent_gitops_leading", () => Number(source.isLeading));
  meter.add("fairlead_agent_gitops_connected", () => Number(stats().isConnected));
  meter.add("fairlead_agent_gitops_objects", () => byLabel("flow", stats().objects));
  meter.add("fairlead_agent_gitops_pending_changes", () => byLabel("flow", stats().pending));
  meter.add("fairlead_agent_gitops_refused_objects", () => byLabel("flow", stats().refused));
  meter.add("fairlead_agent_gitops_drifted_objects", () => byLabel("flow", stats().drifted));
  meter.add("fairlead_agent_gitops_oldest_pending_seconds", () => stats().oldestPendingMs / 1000);
}
