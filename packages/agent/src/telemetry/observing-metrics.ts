import type { InventoryStats } from "../inventory/index.ts";
import type { ObserveCounters } from "../observe/index.ts";

export interface ObservingSource {
  readonly counters: ObserveCounters;
  readonly isLeading: boolean;
  stats(): InventoryStats;
}

type Read<T> = () => T;
type Numbers = Readonly<Record<string, number>>;

/** The metrics that the role observe adds to an agent's. */
export function readObserving(
  source: ObservingSource,
  add: {
    gauge(name: string, help: string, read: Read<number>): void;
    total(name: string, help: string, read: Read<number>): void;
    labelled(name: string, help: string, label: string, read: Read<Numbers>): void;
    labelledTotal(name: string, help: string, label: string, read: Read<Numbers>): void;
  },
): void {
  const { counters } = source;
  const stats = (): InventoryStats => source.stats();
  add.gauge("fairlead_agent_leading", "1 while this agent leads its cluster's observers.", () =>
    source.isLeading ? 1 : 0,
  );
  add.labelled("fairlead_agent_observed_kinds", "Kinds that are observed.", "state", () => ({ ...stats().kinds }));
  add.gauge("fairlead_agent_observed_objects", "Objects that are observed.", () => stats().objects);
  add.total("fairlead_agent_observe_lists_total", "Whole lists that were begun.", () => counters.lists);
  add.labelledTotal("fairlead_agent_observe_objects_total", "Objects told by the API server.", "how", () => ({
    listed: counters.listed,
    applied: counters.applied,
    deleted: counters.deleted,
  }));
  add.gauge("fairlead_agent_inventory_connected", "1 while the hub takes the observed objects.", () =>
    stats().isConnected ? 1 : 0,
  );
  add.gauge(
    "fairlead_agent_inventory_pending_changes",
    "Changes that the hub hasn't acknowledged.",
    () => stats().pendingChanges,
  );
  add.gauge(
    "fairlead_agent_inventory_oldest_pending_seconds",
    "Age of the oldest of them.",
    () => stats().oldestPendingMs / 1000,
  );
  add.gauge("fairlead_agent_inventory_held_bytes", "Objects kept until they are sent.", () => stats().heldBytes);
  add.total(
    "fairlead_agent_inventory_sessions_total",
    "Calls to the hub that compared the two sides.",
    () => stats().sessions,
  );
  add.total("fairlead_agent_inventory_sent_changes_total", "Changes sent.", () => stats().sentChanges);
  add.total("fairlead_agent_inventory_sent_bytes_total", "Their bytes.", () => stats().sentBytes);
  add.total(
    "fairlead_agent_inventory_fetched_objects_total",
    "Objects read once more to send them.",
    () => stats().fetchedObjects,
  );
}
