// The series by cluster, of a bounded number of clusters: the first ones by name, so that series stay.
import { clusterStateSchema, commandOutcomes } from "@fairlead/contract";
import type { Clock, Meter, Sample } from "@fairlead/kernel";
import type { MetricSources, OpenCommands } from "./metric-sources.ts";

export function addClusterMetrics(
  meter: Meter,
  options: {
    readonly sources: MetricSources;
    /** Of all clusters as of the beginning of the page; some may be gone by now. */
    readonly names: () => readonly string[];
    readonly maxClusters: number;
    readonly clock: Clock;
  },
): void {
  const { sources, names, maxClusters, clock } = options;
  const { clusters, proxy, commands, copyOf } = sources;
  const shown = (): string[] => names().slice(0, maxClusters).filter(clusters.exists);
  const ofEach = (read: (cluster: string) => number | undefined): Sample[] =>
    shown().flatMap((cluster): Sample[] => {
      const value = read(cluster);
      return value === undefined ? [] : [[{ cluster }, value]];
    });
  const ofMany = (label: string, read: (cluster: string) => Iterable<readonly [string, number]>): Sample[] =>
    shown().flatMap((cluster) =>
      [...read(cluster)].map(([name, value]): Sample => [{ cluster, [label]: name }, value]),
    );
  const stateOf = (cluster: string): string => clusters.state(cluster).state;
  const endOf = (cluster: string): number | undefined => {
    const ends = clusters.links(cluster).map(({ notAfter }) => notAfter);
    return ends.length === 0 ? undefined : Math.min(...ends);
  };
  const durationsOf = <T extends { readonly durations: D }, D>(of: (cluster: string) => T | undefined) =>
    shown().flatMap((cluster) => {
      const known = of(cluster);
      return known === undefined ? [] : [[{ cluster }, known.durations] as const];
    });

  meter.add("fairlead_clusters", () => {
    const counts = new Map(clusterStates.map((state) => [state, 0]));
    for (const state of names().filter(clusters.exists).map(stateOf)) counts.set(state, (counts.get(state) ?? 0) + 1);
    return [...counts].map(([state, count]) => [{ state }, count]);
  });
  meter.add("fairlead_clusters_without_metrics", () => Math.max(0, names().length - maxClusters));
  meter.add("fairlead_cluster_state", () =>
    ofMany("state", (cluster) => {
      const current = stateOf(cluster);
      return clusterStates.map((state) => [state, state === current ? 1 : 0] as const);
    }),
  );
  meter.add("fairlead_cluster_link_up", () => ofEach((cluster) => (clusters.links(cluster).length > 0 ? 1 : 0)));
  meter.add("fairlead_cluster_certificate_expiry_timestamp_seconds", () =>
    ofEach((cluster) => toSeconds(endOf(cluster))),
  );
  meter.add("fairlead_cluster_certificate_remaining_seconds", () =>
    ofEach((cluster) => toSeconds(minus(endOf(cluster), clock.now()))),
  );

  meter.add("fairlead_cluster_inventory_age_seconds", () =>
    ofEach((cluster) => {
      const { verifiedMs } = copyOf(cluster);
      return verifiedMs === undefined ? undefined : Math.max(0, clock.now() - verifiedMs) / 1000;
    }),
  );
  meter.add("fairlead_cluster_inventory_lag_seconds", () => ofEach((cluster) => copyOf(cluster).lagMs / 1000));
  meter.add("fairlead_cluster_inventory_pending_changes", () => ofEach((cluster) => copyOf(cluster).pendingChanges));
  meter.add("fairlead_cluster_inventory_objects", () => ofEach((cluster) => copyOf(cluster).objects));

  const traffic = (cluster: string) => proxy.byCluster.get(cluster);
  meter.add("fairlead_cluster_requests_active", () => ofEach((cluster) => traffic(cluster)?.active));
  meter.add("fairlead_cluster_requests_total", () => ofMany("status", (cluster) => listEnded(traffic(cluster)?.ended)));
  meter.addHistogram("fairlead_cluster_request_duration_seconds", () => durationsOf(traffic));
  meter.add("fairlead_cluster_proxied_bytes_total", () =>
    ofMany("direction", (cluster) => {
      const { sentBytes = 0, receivedBytes = 0 } = traffic(cluster) ?? {};
      return [["to-cluster", sentBytes] as const, ["from-cluster", receivedBytes] as const];
    }),
  );

  const known = (cluster: string) => commands().byCluster.get(cluster);
  meter.add("fairlead_cluster_commands", () =>
    ofMany("state", (cluster) => {
      const open = known(cluster)?.open;
      return open === undefined ? [] : listOpen(open);
    }),
  );
  meter.add("fairlead_cluster_commands_finished_total", () =>
    ofMany("outcome", (cluster) => listFinished(known(cluster)?.finished)),
  );
  meter.addHistogram("fairlead_cluster_command_duration_seconds", () => durationsOf(known));
}

export function listOpen(open: OpenCommands): readonly (readonly [state: string, count: number])[] {
  return [
    ["queued", open.queued],
    ["awaiting-plan-approval", open.awaitingPlan],
    ["awaiting-approval", open.awaiting],
    ["claimed", open.claimed],
  ];
}

/** All outcomes from the beginning: Prometheus sees no increase in a counter that begins with 1. */
export function listFinished(
  finished: ReadonlyMap<string, number> = new Map(),
): readonly (readonly [outcome: string, count: number])[] {
  return commandOutcomes.map((outcome) => [outcome, finished.get(outcome) ?? 0]);
}

/** All classes from the beginning, as with outcomes. */
function listEnded(
  ended: ReadonlyMap<string, number> = new Map(),
): readonly (readonly [status: string, count: number])[] {
  return statusClasses.map((status) => [status, ended.get(status) ?? 0]);
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : ms / 1000;
}

function minus(ms: number | undefined, otherMs: number): number | undefined {
  return ms === undefined ? undefined : ms - otherMs;
}

const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx", "cut"];
const clusterStates: readonly string[] = clusterStateSchema.options;
