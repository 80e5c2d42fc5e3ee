/** `512Mi`, `15.6Gi`, as Kubernetes writes amounts of memory. */
export function formatMemory(sizeBytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10)), units.length - 1);
  const amount = sizeBytes / 1024 ** power;
  return `${amount >= 100 || Number.isInteger(amount) ? Math.round(amount) : amount.toFixed(1)}${units[power] ?? ""}`;
}

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** How much of it is asked for; nothing is `-` of nothing. */
export function formatShare(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((part / whole) * 100)}%` : "-";
}
