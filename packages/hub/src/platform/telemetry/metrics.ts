// Prometheus metrics. Everything is read from plain numbers when it is scraped: nothing here is on a request's path.
import { type Clock, createMeter, type Meter, type Sample } from "@fairlead/kernel";
import type { TracingCounters } from "@fairlead/kernel/tracing";
import type { LinkStats } from "@fairlead/protocol";
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { addClusterMetrics, listFinished, listOpen } from "./cluster-metrics.ts";
import { addGitopsMetrics } from "./gitops-metrics.ts";
import type { DeclarationSources, HubSources, MetricSources } from "./metric-sources.ts";
import { hubMetrics } from "./metric-table.ts";
import { renderMetrics } from "./render.ts";

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
}

export function createMetrics(
  sources: MetricSources,
  options: { readonly maxClusters: number; readonly version: string; readonly clock: Clock },
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meter = createMeter({
    table: hubMetrics,
    register: (metric) => registry.registerMetric(metric as unknown as Metric),
  });
  addProgramMetrics(meter, { ...options, certificateEnds: sources.certificateEnds });
  // Sorting thousands of names for each metric would take longer than all else.
  let names: readonly string[] = [];
  addClusterMetrics(meter, { ...options, sources, names: () => names });
  addDatabaseMetrics(meter, sources);
  addLinkMetrics(meter, sources);
  addRequestMetrics(meter, sources);
  addGuardMetrics(meter, sources);
  addInventoryMetrics(meter, sources);
  addCommandMetrics(meter, sources);
  addGitopsMetrics(meter, sources.gitops);
  addSharingMetrics(meter, sources);
  if (sources.tracing) addTracingMetrics(meter, sources.tracing);
  if (sources.hubs) addHubMetrics(meter, sources.hubs);
  if (sources.declarations) addDeclarationMetrics(meter, sources.declarations);
  return {
    contentType: registry.contentType,
    render() {
      names = sources.clusters.names().map(({ name }) => name);
      return renderMetrics(registry);
    },
  };
}

function addProgramMetrics(
  meter: Meter,
  options: {
    readonly version: string;
    readonly clock: Clock;
    readonly certificateEnds: () => ReadonlyMap<string, number>;
  },
): void {
  const { version, clock, certificateEnds } = options;
  const ends = (toValue: (endMs: number) => number): Sample[] =>
    [...certificateEnds()]
      .filter(([, endMs]) => Number.isFinite(endMs))
      .map(([listener, endMs]) => [{ listener }, toValue(endMs)]);
  meter.add("fairlead_build_info", () => [[{ version, node_version: process.versions.node }, 1]]);
  meter.add("fairlead_certificate_expiry_timestamp_seconds", () => ends((endMs) => endMs / 1000));
  meter.add("fairlead_certificate_remaining_seconds", () => ends((endMs) => (endMs - clock.now()) / 1000));
}

function addTracingMetrics(meter: Meter, counters: TracingCounters): void {
  meter.add("fairlead_trace_spans_total", () => [
    [{ outcome: "sent" }, counters.sent],
    [{ outcome: "lost" }, counters.lost],
  ]);
}

function addDatabaseMetrics(meter: Meter, { database }: MetricSources): void {
  meter.addHistogram("fairlead_database_statement_duration_seconds", () =>
    database().map(({ name: share, durations }) => [{ share }, durations]),
  );
  meter.add("fairlead_database_connections", () =>
    database().flatMap(({ name: share, idle, busy }): Sample[] => [
      [{ share, state: "idle" }, idle],
      [{ share, state: "busy" }, busy],
    ]),
  );
  meter.add("fairlead_database_waiting", () => database().map(({ name: share, waiting }) => [{ share }, waiting]));
}

function addLinkMetrics(meter: Meter, sources: MetricSources): void {
  const stats = (): LinkStats[] => sources.links().map((link) => link.stats());
  const sum = (pick: (one: LinkStats) => number): number => stats().reduce((total, one) => total + pick(one), 0);

  meter.add("fairlead_links", () => sources.links().length);
  meter.add("fairlead_link_streams", () => [
    [{ state: "opening" }, sum((one) => one.streams.opening)],
    [{ state: "open" }, sum((one) => one.streams.open)],
    [{ state: "half-closed" }, sum((one) => one.streams.halfClosed)],
  ]);
  meter.add("fairlead_link_credit_bytes", () => [
    [{ kind: "held" }, sum((one) => one.credit.heldBytes)],
    [{ kind: "granted" }, sum((one) => one.credit.grantedBytes)],
    [{ kind: "queued" }, sum((one) => one.credit.queuedBytes)],
    [{ kind: "retained" }, sum((one) => one.retainedBytes)],
  ]);
  meter.add("fairlead_link_budget_bytes", () => [
    [{ kind: "total" }, sources.budget.totalBytes],
    [{ kind: "granted" }, sources.budget.grantedBytes],
  ]);
  meter.add(
    "fairlead_link_queue_age_seconds",
    () => stats().reduce((oldest, one) => Math.max(oldest, one.queueAgeMs), 0) / 1000,
  );
  meter.add("fairlead_link_bytes_total", () => [
    [{ direction: "received" }, sources.pastLinks().receivedBytes + sum((one) => one.bytes.received)],
    [{ direction: "sent" }, sources.pastLinks().sentBytes + sum((one) => one.bytes.sent)],
  ]);
  meter.add("fairlead_link_frames_total", () => [
    [{ direction: "received" }, sources.pastLinks().receivedFrames + sum((one) => one.frames.received)],
    [{ direction: "sent" }, sources.pastLinks().sentFrames + sum((one) => one.frames.sent)],
  ]);
  meter.add("fairlead_link_resets_total", () => {
    const totals = new Map<string, number>();
    for (const one of [sources.pastLinks(), ...stats()]) {
      for (const [code, count] of Object.entries(one.resetsByCode)) totals.set(code, (totals.get(code) ?? 0) + count);
    }
    return [...totals].map(([code, count]) => [{ code }, count]);
  });
  meter.add("fairlead_link_resumes_total", () => sources.pastLinks().resumes + sum((one) => one.resumes));
  meter.add("fairlead_links_closed_total", () => sources.pastLinks().links);
}

function addRequestMetrics(meter: Meter, sources: MetricSources): void {
  const { proxy, api, linkErrors, inventory } = sources;
  meter.add("fairlead_http_requests_active", () => [
    [{ route: "cluster-api" }, proxy.active],
    [{ route: "cluster-upgrade" }, proxy.activeUpgrades],
  ]);
  meter.add("fairlead_http_requests_total", () => [
    ...[...proxy.byStatus].map(([status, count]): Sample => [{ route: "cluster-api", status: String(status) }, count]),
    ...[...api.byStatus].map(([status, count]): Sample => [{ route: "hub-api", status: String(status) }, count]),
  ]);
  meter.add("fairlead_errors_total", () => {
    const totals = new Map<string, number>();
    for (const counts of [proxy.byErrorCode, api.byErrorCode, linkErrors, inventory().errorsByCode]) {
      for (const [code, count] of counts) totals.set(code, (totals.get(code) ?? 0) + count);
    }
    return [...totals].map(([code, count]) => [{ code }, count]);
  });
}

function addGuardMetrics(meter: Meter, { audit, limits, recordings }: MetricSources): void {
  meter.add("fairlead_audit_waiting", () => audit().waiting);
  meter.add("fairlead_audit_records_total", () => audit().kept);
  meter.add("fairlead_audit_failures_total", () => audit().failures);
  meter.add("fairlead_audit_refused_total", () => audit().refused);
  meter.add("fairlead_audit_dropped_total", () => audit().dropped);
  meter.add("fairlead_recordings_active", () => recordings.running);
  meter.add("fairlead_limits_active", () => limits.inFlight);
  meter.add("fairlead_limits_refused_total", () => [...limits.refused].map(([code, count]) => [{ code }, count]));
}

function addInventoryMetrics(meter: Meter, { inventory }: MetricSources): void {
  meter.add("fairlead_inventory_reports", () => inventory().reports);
  meter.add("fairlead_inventory_objects", () => inventory().objects);
  meter.add("fairlead_inventory_lag_seconds", () => inventory().lagMs / 1000);
  meter.add("fairlead_inventory_store_failing", () => (inventory().isStoreFailing ? 1 : 0));
  meter.add("fairlead_inventory_changes_total", () =>
    [...inventory().changes].map(([change, count]) => [{ change }, count]),
  );
}

function addCommandMetrics(meter: Meter, { commands }: MetricSources): void {
  meter.add("fairlead_commands", () => listOpen(commands().open).map(([state, count]) => [{ state }, count]));
  meter.add("fairlead_commands_finished_total", () =>
    listFinished(commands().finished).map(([outcome, count]) => [{ outcome }, count]),
  );
}

function addSharingMetrics(meter: Meter, { sharing: { bus, changes, leases } }: MetricSources): void {
  meter.add("fairlead_bus_up", () => [[{ adapter: bus.adapter }, bus.state.kind === "up" ? 1 : 0]]);
  meter.add("fairlead_bus_hints_total", () => bus.counters.hints);
  meter.add("fairlead_bus_messages_total", () => [
    [{ outcome: "sent" }, bus.counters.sent],
    [{ outcome: "failed" }, bus.counters.failed],
    [{ outcome: "received" }, bus.counters.received],
  ]);
  meter.add("fairlead_change_looks_total", () => [
    [{ outcome: "ok" }, changes.counters.looks - changes.counters.failedLooks],
    [{ outcome: "failed" }, changes.counters.failedLooks],
  ]);
  meter.add("fairlead_database_went_back_total", () => changes.counters.wentBack);
  meter.add("fairlead_change_rereads_total", () => [
    ...[...changes.counters.rereads].map(([topic, count]): Sample => [{ topic, outcome: "ok" }, count]),
    ...[...changes.counters.failedRereads].map(([topic, count]): Sample => [{ topic, outcome: "failed" }, count]),
  ]);
  meter.add("fairlead_leases_held", () => leases.heldCount);
}

function addHubMetrics(meter: Meter, { count, relayed }: HubSources): void {
  meter.add("fairlead_hubs", () => {
    const { linked, unlinked } = count();
    return [
      [{ link: "up" }, linked],
      [{ link: "none" }, unlinked],
    ];
  });
  meter.add("fairlead_relayed_streams", () => relayed.active);
  meter.add("fairlead_relayed_streams_total", () => relayed.total);
}

function addDeclarationMetrics(meter: Meter, declarations: DeclarationSources): void {
  meter.add("fairlead_declarations", () => declarations.documents);
  meter.add("fairlead_declarations_failing", () => (declarations.isFailing ? 1 : 0));
  meter.add("fairlead_declarations_drift_total", () => declarations.drifts);
}
