// Prometheus metrics. Everything is read from plain numbers when it is scraped: nothing here is on a request's path.
import type { LinkBudget, LinkStats } from "@fairlead/protocol";
import { collectDefaultMetrics, Registry } from "prom-client";
import { addGitopsMetrics, type GitopsTotals } from "./gitops-metrics.ts";
import { counter, gauge, type Sample } from "./samples.ts";

export interface MetricSources {
  readonly links: () => readonly { readonly stats: () => LinkStats }[];
  /** Totals of links that are gone, so that counters never fall. */
  readonly pastLinks: () => LinkTotals;
  readonly budget: LinkBudget;
  readonly proxy: {
    readonly active: number;
    readonly activeUpgrades: number;
    readonly byStatus: ReadonlyMap<number, number>;
    readonly byErrorCode: ReadonlyMap<string, number>;
  };
  readonly api: { readonly byStatus: ReadonlyMap<number, number>; readonly byErrorCode: ReadonlyMap<string, number> };
  readonly linkErrors: ReadonlyMap<string, number>;
  readonly audit: () => AuditTotals;
  readonly limits: { readonly refused: ReadonlyMap<string, number>; readonly inFlight: number };
  readonly recordings: { readonly running: number };
  readonly inventory: () => InventoryTotals;
  readonly commands: () => CommandTotals;
  readonly gitops: () => GitopsTotals;
  readonly sharing: SharingSources;
  /** Undefined for a hub that has its database alone. */
  readonly hubs?: HubSources | undefined;
  /** Undefined where nothing is declared by files. */
  readonly declarations?: DeclarationSources | undefined;
}

export interface DeclarationSources {
  readonly documents: number;
  readonly isFailing: boolean;
  readonly drifts: number;
}

/** Traffic between this hub and the others. */
export interface HubSources {
  /** Hubs that are alive. */
  readonly count: () => { readonly linked: number; readonly unlinked: number };
  readonly relayed: { readonly active: number; readonly total: number };
}

/** How hubs on one database see each other's changes and share their work. */
export interface SharingSources {
  readonly bus: {
    readonly adapter: string;
    readonly state: { readonly kind: "up" | "away" };
    readonly counters: {
      readonly hints: number;
      readonly sent: number;
      readonly received: number;
      readonly failed: number;
    };
  };
  readonly changes: {
    readonly counters: {
      readonly looks: number;
      readonly failedLooks: number;
      readonly wentBack: number;
      readonly rereads: ReadonlyMap<string, number>;
      readonly failedRereads: ReadonlyMap<string, number>;
    };
  };
  readonly leases: { readonly heldCount: number };
}

export interface InventoryTotals {
  /** Clusters that are reported at the moment. */
  readonly reports: number;
  readonly objects: number;
  /** The lag of the cluster that waits longest. */
  readonly lagMs: number;
  readonly isStoreFailing: boolean;
  readonly changes: ReadonlyMap<string, number>;
  readonly errorsByCode: ReadonlyMap<string, number>;
}

export interface CommandTotals {
  /** Queued commands of all clusters, as of some seconds ago. */
  readonly queued: number;
  /** Those that wait for people to approve them. */
  readonly awaiting: number;
  readonly awaitingPlan: number;
  readonly claimed: number;
  /** By outcome, since this hub began. */
  readonly finished: ReadonlyMap<string, number>;
}

/** Read when metrics are scraped. */
export interface AuditTotals {
  readonly waiting: number;
  readonly kept: number;
  readonly failures: number;
  readonly refused: number;
  /** Records lost although the setting allows that. */
  readonly dropped: number;
}

export interface LinkTotals {
  readonly links: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly receivedFrames: number;
  readonly sentFrames: number;
  readonly resumes: number;
  readonly resetsByCode: Readonly<Record<number, number>>;
}

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addLinkMetrics(registry, sources);
  addRequestMetrics(registry, sources);
  addGuardMetrics(registry, sources);
  addInventoryMetrics(registry, sources);
  addCommandMetrics(registry, sources);
  addGitopsMetrics(registry, sources.gitops);
  addSharingMetrics(registry, sources);
  if (sources.hubs) addHubMetrics(registry, sources.hubs);
  if (sources.declarations) addDeclarationMetrics(registry, sources.declarations);
  return { contentType: registry.contentType, render: () => registry.metrics() };
}

function addLinkMetrics(registry: Registry, sources: MetricSources): void {
  const stats = (): LinkStats[] => sources.links().map((link) => link.stats());
  const sum = (pick: (one: LinkStats) => number): number => stats().reduce((total, one) => total + pick(one), 0);

  gauge(registry, "fairlead_links", "Live links to agents", () => [[{}, sources.links().length]]);
  gauge(registry, "fairlead_link_streams", "Streams on all links by state", () => [
    [{ state: "opening" }, sum((one) => one.streams.opening)],
    [{ state: "open" }, sum((one) => one.streams.open)],
    [{ state: "half-closed" }, sum((one) => one.streams.halfClosed)],
  ]);
  gauge(
    registry,
    "fairlead_link_credit_bytes",
    "Bytes held, granted to peers, queued to be sent, and kept until they are acknowledged",
    () => [
      [{ kind: "held" }, sum((one) => one.credit.heldBytes)],
      [{ kind: "granted" }, sum((one) => one.credit.grantedBytes)],
      [{ kind: "queued" }, sum((one) => one.credit.queuedBytes)],
      [{ kind: "retained" }, sum((one) => one.retainedBytes)],
    ],
  );
  gauge(registry, "fairlead_link_budget_bytes", "Credit of the whole process", () => [
    [{ kind: "total" }, sources.budget.totalBytes],
    [{ kind: "granted" }, sources.budget.grantedBytes],
  ]);
  gauge(registry, "fairlead_link_queue_age_seconds", "Age of the oldest frame that waits, over all links", () => [
    [{}, stats().reduce((oldest, one) => Math.max(oldest, one.queueAgeMs), 0) / 1000],
  ]);
  counter(registry, "fairlead_link_bytes_total", "Bytes over links", () => [
    [{ direction: "received" }, sources.pastLinks().receivedBytes + sum((one) => one.bytes.received)],
    [{ direction: "sent" }, sources.pastLinks().sentBytes + sum((one) => one.bytes.sent)],
  ]);
  counter(registry, "fairlead_link_frames_total", "Frames over links", () => [
    [{ direction: "received" }, sources.pastLinks().receivedFrames + sum((one) => one.frames.received)],
    [{ direction: "sent" }, sources.pastLinks().sentFrames + sum((one) => one.frames.sent)],
  ]);
  counter(registry, "fairlead_link_resets_total", "Streams that ended in a reset, by the wire's code", () => {
    const totals = new Map<string, number>();
    for (const one of [sources.pastLinks(), ...stats()]) {
      for (const [code, count] of Object.entries(one.resetsByCode)) totals.set(code, (totals.get(code) ?? 0) + count);
    }
    return [...totals].map(([code, count]) => [{ code }, count]);
  });
  counter(registry, "fairlead_link_resumes_total", "Connections that went on with a link after a cut", () => [
    [{}, sources.pastLinks().resumes + sum((one) => one.resumes)],
  ]);
  counter(registry, "fairlead_links_closed_total", "Links that ended", () => [[{}, sources.pastLinks().links]]);
}

function addRequestMetrics(registry: Registry, sources: MetricSources): void {
  const { proxy, api, linkErrors, inventory } = sources;
  gauge(registry, "fairlead_http_requests_active", "Proxied requests in flight", () => [
    [{ route: "cluster-api" }, proxy.active],
    [{ route: "cluster-upgrade" }, proxy.activeUpgrades],
  ]);
  counter(registry, "fairlead_http_requests_total", "Requests answered, by kind of route and status", () => [
    ...[...proxy.byStatus].map(([status, count]): Sample => [{ route: "cluster-api", status: String(status) }, count]),
    ...[...api.byStatus].map(([status, count]): Sample => [{ route: "hub-api", status: String(status) }, count]),
  ]);
  counter(registry, "fairlead_errors_total", "Errors by code", () => {
    const totals = new Map<string, number>();
    for (const counts of [proxy.byErrorCode, api.byErrorCode, linkErrors, inventory().errorsByCode]) {
      for (const [code, count] of counts) totals.set(code, (totals.get(code) ?? 0) + count);
    }
    return [...totals].map(([code, count]) => [{ code }, count]);
  });
}

function addGuardMetrics(registry: Registry, { audit, limits, recordings }: MetricSources): void {
  gauge(registry, "fairlead_audit_waiting", "Audit records that aren't written yet", () => [[{}, audit().waiting]]);
  counter(registry, "fairlead_audit_records_total", "Audit records written", () => [[{}, audit().kept]]);
  counter(registry, "fairlead_audit_failures_total", "Tries to write audit records that failed", () => [
    [{}, audit().failures],
  ]);
  counter(registry, "fairlead_audit_refused_total", "Requests refused since no record could be kept", () => [
    [{}, audit().refused],
  ]);
  counter(registry, "fairlead_audit_dropped_total", "Requests without a record, where none is required", () => [
    [{}, audit().dropped],
  ]);
  gauge(registry, "fairlead_recordings_active", "Sessions being recorded", () => [[{}, recordings.running]]);
  gauge(registry, "fairlead_limits_active", "Requests and streams that count against limits", () => [
    [{}, limits.inFlight],
  ]);
  counter(registry, "fairlead_limits_refused_total", "Requests refused by a limit, by code", () =>
    [...limits.refused].map(([code, count]) => [{ code }, count]),
  );
}

function addInventoryMetrics(registry: Registry, { inventory }: MetricSources): void {
  gauge(registry, "fairlead_inventory_reports", "Clusters whose objects are reported", () => [
    [{}, inventory().reports],
  ]);
  gauge(registry, "fairlead_inventory_objects", "Objects of all clusters in the hub's copy", () => [
    [{}, inventory().objects],
  ]);
  gauge(registry, "fairlead_inventory_lag_seconds", "Age of the oldest change that the hub hasn't stored", () => [
    [{}, inventory().lagMs / 1000],
  ]);
  gauge(registry, "fairlead_inventory_store_failing", "1 while changes can't be stored", () => [
    [{}, inventory().isStoreFailing ? 1 : 0],
  ]);
  counter(registry, "fairlead_inventory_changes_total", "Changes stored, by what they were", () =>
    [...inventory().changes].map(([change, count]) => [{ change }, count]),
  );
}

function addCommandMetrics(registry: Registry, { commands }: MetricSources): void {
  gauge(
    registry,
    "fairlead_commands",
    "Commands of all clusters that haven't ended, by whether an agent has them",
    () => [
      [{ state: "queued" }, commands().queued],
      [{ state: "awaiting-plan-approval" }, commands().awaitingPlan],
      [{ state: "awaiting-approval" }, commands().awaiting],
      [{ state: "claimed" }, commands().claimed],
    ],
  );
  counter(registry, "fairlead_commands_finished_total", "Commands that this hub saw end, by outcome", () =>
    [...commands().finished].map(([outcome, count]) => [{ outcome }, count]),
  );
}

function addSharingMetrics(registry: Registry, { sharing: { bus, changes, leases } }: MetricSources): void {
  gauge(registry, "fairlead_bus_up", "1 while hints between hubs arrive, by what carries them", () => [
    [{ adapter: bus.adapter }, bus.state.kind === "up" ? 1 : 0],
  ]);
  counter(registry, "fairlead_bus_hints_total", "Hints given, before they are bundled", () => [
    [{}, bus.counters.hints],
  ]);
  counter(registry, "fairlead_bus_messages_total", "Messages on the bus by what became of them", () => [
    [{ outcome: "sent" }, bus.counters.sent],
    [{ outcome: "failed" }, bus.counters.failed],
    [{ outcome: "received" }, bus.counters.received],
  ]);
  counter(registry, "fairlead_change_looks_total", "Looks at the counters of changes by outcome", () => [
    [{ outcome: "ok" }, changes.counters.looks - changes.counters.failedLooks],
    [{ outcome: "failed" }, changes.counters.failedLooks],
  ]);
  counter(
    registry,
    "fairlead_database_went_back_total",
    "Times that the database was found to have lost what was committed, as after a failover or a restore",
    () => [[{}, changes.counters.wentBack]],
  );
  counter(registry, "fairlead_change_rereads_total", "Times that what had changed was read again, by topic", () => [
    ...[...changes.counters.rereads].map(([topic, count]): Sample => [{ topic, outcome: "ok" }, count]),
    ...[...changes.counters.failedRereads].map(([topic, count]): Sample => [{ topic, outcome: "failed" }, count]),
  ]);
  gauge(registry, "fairlead_leases_held", "Leases that this hub holds", () => [[{}, leases.heldCount]]);
}

function addHubMetrics(registry: Registry, { count, relayed }: HubSources): void {
  gauge(registry, "fairlead_hubs", "Other hubs of the database, by whether there is a link to them", () => {
    const { linked, unlinked } = count();
    return [
      [{ link: "up" }, linked],
      [{ link: "none" }, unlinked],
    ];
  });
  gauge(registry, "fairlead_relayed_streams", "Requests of other hubs' people in flight through this hub", () => [
    [{}, relayed.active],
  ]);
  counter(registry, "fairlead_relayed_streams_total", "Requests that other hubs sent through this hub", () => [
    [{}, relayed.total],
  ]);
}

function addDeclarationMetrics(registry: Registry, declarations: DeclarationSources): void {
  gauge(registry, "fairlead_declarations", "Documents of declarations that are in force", () => [
    [{}, declarations.documents],
  ]);
  gauge(registry, "fairlead_declarations_failing", "1 while what the files say now can't be applied", () => [
    [{}, declarations.isFailing ? 1 : 0],
  ]);
  counter(
    registry,
    "fairlead_declarations_drift_total",
    "Times that something wasn't as declared, and was put right",
    () => [[{}, declarations.drifts]],
  );
}
