import type { InventoryStats } from "../inventory/index.ts";
import type { ObserveCounters } from "../observe/index.ts";
import { type AgentMeter, byLabel } from "./meter.ts";

export interface ObservingSource {
  readonly counters: ObserveCounters;
  readonly isLeading: boolean;
  stats(): InventoryStats;
}

/** The metrics that the role observe adds to an agent's. */
export function readObserving(meter: AgentMeter, source: ObservingSource): void {
  const { counters } = source;
  const stats = (): InventoryStats => source.stats();
  meter.add("fairlead_agent_leading", () => Number(source.isLeading));
  meter.add("fairlead_agent_observed_kinds", () => byLabel("state", { ...stats().kinds }));
  meter.add("fairlead_agent_observed_objects", () => stats().objects);
  meter.add("fairlead_agent_observe_lists_total", () => counters.lists);
  meter.add("fairlead_agent_observe_objects_total", () => {
    const { listed, applied, deleted } = counters;
    return byLabel("how", { listed, applied, deleted });
  });
  meter.add("fairlead_agent_inventory_connected", () => Number(stats().isConnected));
  meter.add("fairlead_agent_inventory_pending_changes", () => stats().pendingChanges);
  meter.add("fairlead_agent_inventory_oldest_pending_seconds", () => stats().oldestPendingMs / 1000);
  meter.add("fairlead_agent_inventory_held_bytes", () => stats().heldBytes);
  meter.add("fairlead_agent_inventory_sessions_total", () => stats().sessions);
  meter.add("fairlead_agent_inventory_sent_changes_total", () => stats().sentChanges);
  meter.add("fairlead_agent_inventory_sent_bytes_total", () => stats().sentBytes);
  meter.add("fairlead_agent_inventory_fetched_objects_total", () => stats().fetchedObjects);
}
