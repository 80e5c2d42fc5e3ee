import type { Link } from "@fairlead/protocol";
import { Counter, Gauge, Registry } from "prom-client";
import type { LinkKeeper } from "../link/index.ts";
import type { ProxyCounters } from "../proxy/index.ts";
import { type ExecutingSource, readExecuting } from "./executing-metrics.ts";
import { type ObservingSource, readObserving } from "./observing-metrics.ts";
import { readSyncing, type SyncingSource } from "./syncing-metrics.ts";

export interface MetricsSources {
  readonly links: Pick<LinkKeeper, "all" | "connects" | "closedBytes">;
  readonly proxy: ProxyCounters;
  readonly apiServer: () => { readonly failedProbes: number; readonly cutConnections: number };
  readonly certificateExpiresAtMs: () => number | undefined;
  /** With the role observe. */
  readonly observing?: ObservingSource | undefined;
  /** With the role execute. */
  readonly executing?: ExecutingSource | undefined;
  /** With the role gitops. */
  readonly syncing?: SyncingSource | undefined;
}

/** Everything is read when asked: the hot path only adds to plain numbers. */
export function createMetrics(sources: MetricsSources): Registry {
  const { links, proxy } = sources;
  const registry = new Registry();
  const registers = [registry];
  const sum = (of: (stats: ReturnType<Link["stats"]>) => number): number =>
    [...links.all].reduce((total, link) => total + of(link.stats()), 0);

  gauge("fairlead_agent_links", "Open links to the hub.", () => links.all.size);
  gauge("fairlead_agent_queue_age_seconds", "Age of the oldest frame that waits to be sent.", () =>
    Math.max(0, ...[...links.all].map((link) => link.stats().queueAgeMs / 1000)),
  );
  gauge("fairlead_agent_requests_in_flight", "Requests to the API server that aren't over.", () => proxy.inFlight);
  gauge("fairlead_agent_certificate_expiry_seconds", "When the agent's certificate expires, Unix time.", () =>
    Math.floor((sources.certificateExpiresAtMs() ?? 0) / 1000),
  );
  total("fairlead_agent_link_connects_total", "Links opened since the start.", () => links.connects);
  labelled("fairlead_agent_streams", "Streams on the links.", "state", () => ({
    opening: sum((stats) => stats.streams.opening),
    open: sum((stats) => stats.streams.open),
    "half-closed": sum((stats) => stats.streams.halfClosed),
  }));
  labelled(
    "fairlead_agent_credit_bytes",
    "Flow control: held, granted to the hub, queued, kept until acknowledged.",
    "kind",
    () => ({
      held: sum((stats) => stats.credit.heldBytes),
      granted: sum((stats) => stats.credit.grantedBytes),
      queued: sum((stats) => stats.credit.queuedBytes),
      retained: sum((stats) => stats.retainedBytes),
    }),
  );
  labelledTotal("fairlead_agent_link_bytes_total", "Bytes over links.", "direction", () => ({
    received: links.closedBytes.received + sum((stats) => stats.bytes.received),
    sent: links.closedBytes.sent + sum((stats) => stats.bytes.sent),
  }));
  labelledTotal("fairlead_agent_proxy_bytes_total", "Bytes of bodies to and from the API server.", "direction", () => ({
    "to-upstream": proxy.bytesToUpstream,
    "from-upstream": proxy.bytesFromUpstream,
  }));
  labelledTotal("fairlead_agent_requests_total", "Requests to the API server by how they ended.", "outcome", () => ({
    answered: proxy.answered,
    upgraded: proxy.upgraded,
    aborted: proxy.aborted,
  }));
  labelledTotal(
    "fairlead_agent_errors_total",
    "Errors answered by the agent itself.",
    "code",
    () => proxy.errorsByCode,
  );
  const { apiServer } = sources;
  total(
    "fairlead_agent_api_server_failed_probes_total",
    "Looks after the API server that got no answer.",
    () => apiServer().failedProbes,
  );
  total(
    "fairlead_agent_api_server_cut_connections_total",
    "Connections to the API server given up because nothing there answered.",
    () => apiServer().cutConnections,
  );
  if (sources.observing) readObserving(sources.observing, { gauge, total, labelled, labelledTotal });
  if (sources.executing) readExecuting(sources.executing, { gauge, total, info, labelledTotal });
  if (sources.syncing) readSyncing(sources.syncing, { gauge, labelled });
  return registry;

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({ name, help, registers, collect: setTo(read) });
  }

  function total(name: string, help: string, read: () => number): void {
    new Counter({ name, help, registers, collect: countTo(() => ({ "": read() })) });
  }

  function labelled(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    const metric = new Gauge({ name, help, registers, labelNames: [label], collect });
    function collect(): void {
      for (const [value, number] of Object.entries(read())) metric.set({ [label]: value }, number);
    }
  }

  function info(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => readonly Readonly<Record<string, string>>[],
  ): void {
    const metric = new Gauge({ name, help, registers, labelNames: [...labelNames], collect });
    function collect(): void {
      metric.reset();
      for (const labels of read()) metric.set(labels, 1);
    }
  }

  function labelledTotal(
    name: string,
    help: string,
    label: string,
    read: () => Readonly<Record<string, number>>,
  ): void {
    new Counter({ name, help, registers, labelNames: [label], collect: countTo(read, label) });
  }
}

function setTo(read: () => number): (this: Gauge) => void {
  return function collect() {
    this.set(read());
  };
}

/** prom-client's counters only add: they are set back first, within one collection. */
function countTo(read: () => Readonly<Record<string, number>>, label?: string): (this: Counter) => void {
  return function collect() {
    this.reset();
    for (const [value, number] of Object.entries(read())) {
      if (label === undefined) this.inc(number);
      else this.inc({ [label]: value }, number);
    }
  };
}
