/** Nearest-rank percentile of unsorted values; 0 when there are none. */
export function percentile(values: readonly number[], rank: number): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}
