import { usage } from "../errors.ts";

/** How long ago, or how long until, in the unit that a person would use: `12s`, `5m`, `3h`, `12d`. */
export function formatSpan(spanMs: number): string {
  const seconds = Math.round(Math.abs(spanMs) / 1000);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `90s`, `30m`, `1h30m`, `7d`. */
export function parseSpan(text: string): number {
  if (!/^(\d+[dhms])+$/.test(text)) throw usage(`'${text}' isn't a length of time.`, "Write it like 30m, 1h30m or 7d.");
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([dhms])/g))
    totalMs += Number(amount) * (unitsMs[unit ?? ""] ?? 0);
  return totalMs;
}

const unitsMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
