import { createHistogram } from "@fairlead/kernel";
import type { ClusterTraffic } from "../../platform/telemetry/index.ts";

/** Plain numbers, read when metrics are scraped: the hot path must not pay for label maps. */
export interface ProxyCounters {
  active: number;
  activeUpgrades: number;
  readonly byStatus: Map<number, number>;
  readonly byErrorCode: Map<string, number>;
  /** Of clusters that exist, since only their requests are admitted. */
  readonly byCluster: Map<string, ClusterTraffic>;
}

export function createCounters(): ProxyCounters {
  return { active: 0, activeUpgrades: 0, byStatus: new Map(), byErrorCode: new Map(), byCluster: new Map() };
}

export function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

export function trafficOf({ byCluster }: ProxyCounters, cluster: string): ClusterTraffic {
  const known = byCluster.get(cluster);
  if (known !== undefined) return known;
  const durations = createHistogram(durationBoundsSeconds);
  const traffic: ClusterTraffic = { active: 0, ended: new Map(), sentBytes: 0, receivedBytes: 0, durations };
  byCluster.set(cluster, traffic);
  return traffic;
}

export function countEnd(
  /** Undefined when the cluster was removed meanwhile. */
  traffic: ClusterTraffic | undefined,
  end: {
    /** Undefined when the answer had begun and was cut. */
    readonly status: number | undefined;
    readonly passed: { readonly sentBytes: number; readonly receivedBytes: number } | undefined;
    /** Undefined for a request that lasts as long as its client wants. */
    readonly durationMs: number | undefined;
  },
): void {
  const { status, passed, durationMs } = end;
  if (traffic === undefined) return;
  // A cluster that was removed and made again begins with requests of its predecessor still in flight.
  traffic.active = Math.max(0, traffic.active - 1);
  increment(traffic.ended, status === undefined ? "cut" : `${Math.floor(status / 100)}xx`);
  traffic.sentBytes += passed?.sentBytes ?? 0;
  traffic.receivedBytes += passed?.receivedBytes ?? 0;
  if (durationMs !== undefined && status !== undefined) traffic.durations.observe(durationMs / 1000);
}

const durationBoundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
