import { formatRoundedDuration, parseDuration } from "@fairlead/kernel";
import { usage } from "../errors.ts";

/** How long ago, or how long until, in the unit that a person would use: `12s`, `5m`, `3h`, `12d`. */
export function formatSpan(spanMs: number): string {
  const seconds = Math.round(Math.abs(spanMs) / 1000);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** How old something is, as kubectl writes it; what a clock that is behind calls the future is new. */
export function formatAge(ageMs: number): string {
  return formatRoundedDuration(Math.max(0, ageMs));
}

/** `90s`, `30m`, `1h30m`, `7d`. */
export function parseSpan(text: string): number {
  const spanMs = parseDuration(text);
  if (spanMs !== undefined) return spanMs;
  throw usage(`'${text}' isn't a valid duration.`, "Write it like 30m, 1h30m or 7d.");
}

/** A point in time, or how long ago it was. */
export function parseTime(text: string, now: number): string {
  const isDate = /^\d{4}-\d\d-\d\d/.test(text);
  const at = isDate ? Date.parse(text) : now - parseSpan(text);
  if (Number.isNaN(at)) throw usage(`'${text}' isn't a time.`, "Write it like 2h, 7d or 2026-05-06T12:00:00Z.");
  return new Date(at).toISOString();
}
