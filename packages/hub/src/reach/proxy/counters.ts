/** Plain numbers, read when metrics are scraped: the hot path must not pay for label maps. */
export interface ProxyCounters {
  active: number;
  activeUpgrades: number;
  readonly byStatus: Map<number, number>;
  readonly byErrorCode: Map<string, number>;
}

export function createCounters(): ProxyCounters {
  return { active: 0, activeUpgrades: 0, byStatus: new Map(), byErrorCode: new Map() };
}

export function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
