// Metrics whose numbers are read when they are scraped.
import { Counter, Gauge, type Registry } from "prom-client";

export type Sample = [labels: Record<string, string>, value: number];

export function gauge(registry: Registry, name: string, help: string, read: () => Sample[]): void {
  const labelNames = labelNamesOf(name);
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

export function counter(registry: Registry, name: string, help: string, read: () => Sample[]): void {
  const labelNames = labelNamesOf(name);
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

function labelNamesOf(name: string): string[] {
  return labels[name] ?? [];
}

const labels: Readonly<Record<string, string[]>> = {
  fairlead_link_streams: ["state"],
  fairlead_link_credit_bytes: ["kind"],
  fairlead_link_budget_bytes: ["kind"],
  fairlead_link_bytes_total: ["direction"],
  fairlead_link_frames_total: ["direction"],
  fairlead_link_resets_total: ["code"],
  fairlead_http_requests_active: ["route"],
  fairlead_http_requests_total: ["route", "status"],
  fairlead_errors_total: ["code"],
  fairlead_limits_refused_total: ["code"],
  fairlead_inventory_changes_total: ["change"],
  fairlead_commands: ["state"],
  fairlead_commands_finished_total: ["outcome"],
  fairlead_gitops_objects: ["flow"],
  fairlead_gitops_pending_changes: ["flow"],
  fairlead_gitops_refused_objects: ["flow"],
  fairlead_bus_up: ["adapter"],
  fairlead_bus_messages_total: ["outcome"],
  fairlead_change_looks_total: ["outcome"],
  fairlead_change_rereads_total: ["topic", "outcome"],
  fairlead_hubs: ["link"],
};
