// When a schedule's ticks are: five fields of cron in a time zone. A time of day that a day doesn't have, since the clock is
// set forward, is at the shift; one that a day has twice is the first of both. Only what goes on at every hour (`*`) goes by
// the time that passes, rather than by the clock on the wall.
import { Cron } from "croner";
import { scheduleErrors } from "./errors.ts";

export interface Ticks {
  /** Undefined: never again. */
  after(at: Date): Date | undefined;
  /** The last one that isn't later than `at`, of those after `since`. */
  lastBetween(since: Date, at: Date): Date | undefined;
}

/** Throws SCHEDULE_CRON_INVALID, SCHEDULE_TIME_ZONE_UNKNOWN. */
export function parseCron(text: string, timeZone: string): Ticks {
  requireTimeZone(timeZone);
  const cron = compile(text, timeZone);
  const after = (at: Date): Date | undefined => cron.nextRun(at) ?? undefined;
  return {
    after,
    lastBetween(since, at) {
      // From near to far: few ticks lie between where one was looked for in vain and the next farther place.
      for (const lookMs of [...looksMs, Number.POSITIVE_INFINITY]) {
        const fromMs = Math.max(since.getTime(), at.getTime() - lookMs);
        const last = lastUntil(after, new Date(fromMs), at);
        if (last || fromMs === since.getTime()) return last;
      }
      return undefined;
    },
  };
}

function lastUntil(after: Ticks["after"], since: Date, at: Date): Date | undefined {
  let last: Date | undefined;
  let next = after(since);
  while (next && next <= at) {
    last = next;
    next = after(next);
  }
  return last;
}

function compile(text: string, timeZone: string): Cron {
  const [minute = "", hour = "", ...days] = text.trim().toUpperCase().split(/\s+/);
  const fields = [minute, hour, ...days];
  const wrong = fields.length === 5 ? fields.findIndex((field) => !fieldPattern.test(field)) : 5;
  if (wrong !== -1)
    throw scheduleErrors.SCHEDULE_CRON_INVALID({
      cron: text,
      reason: wrong === 5 ? "there are five" : `see '${fields[wrong]}'`,
    });
  const times = hour === "*" ? [minute, hour] : [spellOut(minute, 59), spellOut(hour, 23)];
  try {
    const cron = new Cron([...times, ...days].join(" "), {
      timezone: timeZone,
      mode: "5-part",
      fixedTimeRule: "no-wildcard",
    });
    if (cron.nextRun()) return cron;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "").replace(/\.$/, "") : "";
    throw scheduleErrors.SCHEDULE_CRON_INVALID({ cron: text, reason, cause });
  }
  throw scheduleErrors.SCHEDULE_CRON_INVALID({ cron: text, reason: "the day doesn't exist" });
}

/** As a list, which is a time of day for croner, while wildcards and steps aren't. An invalid field stays as it is. */
function spellOut(field: string, highest: number): string {
  const parts = field.split(",").map((part) => {
    const [, from, to, step = "1"] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
    if (from !== undefined && to === undefined) return part;
    const [first, last] = from === undefined ? [0, highest] : [Number(from), Number(to)];
    if (last > highest || first > last || Number(step) < 1 || Number(step) > highest) return part;
    return Array.from(
      { length: Math.floor((last - first) / Number(step)) + 1 },
      (_, index) => first + index * Number(step),
    ).join();
  });
  return parts.join();
}

function requireTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw scheduleErrors.SCHEDULE_TIME_ZONE_UNKNOWN({ timeZone, cause });
  }
}

/** Numbers, names, ranges, steps and lists: none of the letters and signs that only some programs know. */
const fieldPattern =
  /^(?:\*|[0-9]{1,2}|[A-Z]{3})(?:-(?:[0-9]{1,2}|[A-Z]{3}))?(?:\/[0-9]{1,2})?(?:,(?:\*|[0-9]{1,2}|[A-Z]{3})(?:-(?:[0-9]{1,2}|[A-Z]{3}))?(?:\/[0-9]{1,2})?)*$/;
const hourMs = 3_600_000;
const looksMs = [hourMs, 24 * hourMs, 32 * 24 * hourMs, 366 * 24 * hourMs];
