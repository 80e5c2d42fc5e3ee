/** Rounds as Kubernetes does in its columns: two units at most, fewer the longer it is (`5m30s`, `3h12m`, `4d2h`, `2y30d`). */
export function formatRoundedDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return join(`${minutes}m`, seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return join(`${hours}h`, minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return join(`${days}d`, hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? join(`${years}y`, days % 365, "d") : `${years}y`;
}

function join(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first}${rest}${unit}`;
}
