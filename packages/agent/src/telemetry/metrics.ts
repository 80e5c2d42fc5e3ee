import { createMeter, type Sample } from "@fairlead/kernel";
import type { TracingCounters } from "@fairlead/kernel/tracing";
import type { Link } from "@fairlead/protocol";
import { type Metric, Registry } from "prom-client";
import type { LinkKeeper } from "../link/index.ts";
import type { ProxyCounters } from "../proxy/index.ts";
import { type ExecutingSource, readExecuting } from "./executing-metrics.ts";
import { type AgentMeter, byLabel } from "./meter.ts";
import { agentMetrics } from "./metric-table.ts";
import { type ObservingSource, readObserving } from "./observing-metrics.ts";
import { readSyncing, type SyncingSource } from "./syncing-metrics.ts";

export interface MetricsSources {
  readonly version: string;
  /** The time by which certificates end. */
  readonly nowMs: () => number;
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
  /** Undefined where nothing is traced. */
  readonly tracing?: TracingCounters | undefined;
}

/** Everything is read when asked: the hot path only adds to plain numbers. */
export function createMetrics(sources: MetricsSources): Registry {
  const { observing, executing, syncing, tracing } = sources;
  const registry = new Registry();
  const meter = createMeter({
    table: agentMetrics,
    register: (metric) => registry.registerMetric(metric as unknown as Metric),
  });
  readProgram(meter, sources);
  readLinks(meter, sources);
  readProxy(meter, sources);
  if (observing) readObserving(meter, observing);
  if (executing) readExecuting(meter, executing);
  if (syncing) readSyncing(meter, syncing);
  if (tracing)
    meter.add("fairlead_agent_trace_spans_total", () => byLabel("outcome", { sent: tracing.sent, lost: tracing.lost }));
  return registry;
}

function readProgram(meter: AgentMeter, { version, nowMs, certificateExpiresAtMs }: MetricsSources): void {
  const read = (toValue: (endMs: number) => number): Sample[] => {
    const endMs = certificateExpiresAtMs();
    return endMs === undefined ? [] : [[{}, toValue(endMs)]];
  };
  meter.add("fairlead_agent_build_info", () => [[{ version, node_version: process.versions.node }, 1]]);
  meter.add("fairlead_agent_certificate_expiry_timestamp_seconds", () => read((endMs) => endMs / 1000));
  meter.add("fairlead_agent_certificate_remaining_seconds", () => read((endMs) => (endMs - nowMs()) / 1000));
}

function readLinks(meter: AgentMeter, { links }: MetricsSources): void {
  const sum = (of: (stats: ReturnType<Link["stats"]>) => number): number =>
    [...links.all].reduce((total, link) => total + of(link.stats()), 0);
  meter.add("fairlead_agent_link_up", () => Number(links.all.size > 0));
  meter.add("fairlead_agent_links", () => links.all.size);
  meter.add("fairlead_agent_link_connects_total", () => links.connects);
  meter.add("fairlead_agent_link_bytes_total", () =>
    byLabel("direction", {
      received: links.closedBytes.received + sum((stats) => stats.bytes.received),
      sent: links.closedBytes.sent + sum((stats) => stats.bytes.sent),
    }),
  );
  meter.add("fairlead_agent_streams", () =>
    byLabel("state", {
      opening: sum((stats) => stats.streams.opening),
      open: sum((stats) => stats.streams.open),
      "half-closed": sum((stats) => stats.streams.halfClosed),
    }),
  );
  meter.add("fairlead_agent_credit_bytes", () =>
    byLabel("kind", {
      held: sum((stats) => stats.credit.heldBytes),
      granted: sum((stats) => stats.credit.grantedBytes),
      queued: sum((stats) => stats.credit.queuedBytes),
      retained: sum((stats) => stats.retainedBytes),
    }),
  );
  meter.add("fairlead_agent_queue_age_seconds", () =>
    Math.max(0, ...[...links.all].map((link) => link.stats().queueAgeMs / 1000)),
  );
}

function readProxy(meter: AgentMeter, { proxy, apiServer }: MetricsSources): void {
  meter.add("fairlead_agent_requests_in_flight", () => proxy.inFlight);
  meter.add("fairlead_agent_requests_total", () => {
    const { answered, upgraded, aborted } = proxy;
    return byLabel("outcome", { answered, upgraded, aborted });
  });
  meter.addHistogram("fairlead_agent_response_seconds", () => [[{}, proxy.responses]]);
  meter.add("fairlead_agent_proxy_bytes_total", () =>
    byLabel("direction", { "to-upstream": proxy.bytesToUpstream, "from-upstream": proxy.bytesFromUpstream }),
  );
  meter.add("fairlead_agent_errors_total", () => byLabel("code", proxy.errorsByCode));
  meter.add("fairlead_agent_api_server_failed_probes_total", () => apiServer().failedProbes);
  meter.add("fairlead_agent_api_server_cut_connections_total", () => apiServer().cutConnections);
}
