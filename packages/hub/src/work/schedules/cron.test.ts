// When ticks are, over days of 23, 24 and 25 hours, beside a count of minutes by the calendar that comes with the runtime.
import { describe, expect, test } from "vitest";
import { parseCron } from "./cron.ts";

const minuteMs = 60_000;

/** All ticks of some days, found minute by minute. `*` as the hour goes by time that passes; others by the clock on the wall. */
function count(cron: string, walls: readonly Wall[]): string[] {
  const [minutes = "", hours = ""] = cron.split(" ");
  const isMeant = (field: string, value: number): boolean =>
    field.split(",").some((part) => {
      const [, first, last, step] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
      const begin = Number(first ?? 0);
      const end = last === undefined ? (first === undefined ? 59 : begin) : Number(last);
      return value >= begin && value <= end && (value - begin) % Number(step ?? 1) === 0;
    });
  const ticks = new Set<string>();
  const seen = new Set<string>();
  let before = walls[0]?.wall ?? "";
  for (const { at, wall } of walls.slice(1)) {
    if (hours === "*") {
      if (isMeant(minutes, Number(wall.slice(14)))) ticks.add(at.toISOString());
    } else {
      // Minutes that the clock on the wall skipped happen now.
      for (const passed of [...between(before, wall), wall]) {
        if (seen.has(passed)) continue;
        seen.add(passed);
        const [hour, minute] = [Number(passed.slice(11, 13)), Number(passed.slice(14))];
        if (isMeant(hours, hour) && isMeant(minutes, minute)) ticks.add(at.toISOString());
      }
    }
    before = wall;
  }
  return [...ticks];
}

interface Wall {
  readonly at: Date;
  /** The time that the clock on the wall shows then. */
  readonly wall: string;
}

/** Reads the wall's clock at each minute, and at the one before them. */
function readWalls(timeZone: string, from: Date, days: number): Wall[] {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" });
  return Array.from({ length: days * 1_440 + 1 }, (_, index) => {
    const at = new Date(from.getTime() + (index - 1) * minuteMs);
    return { at, wall: format.format(at) };
  });
}

function between(before: string, now: string): string[] {
  const [from, to] = [before, now].map((wall) => Date.parse(`${wall.replace(" ", "T")}Z`)) as [number, number];
  const skipped: string[] = [];
  for (let ms = from + minuteMs; ms < to; ms += minuteMs)
    skipped.push(new Date(ms).toISOString().slice(0, 16).replace("T", " "));
  return skipped;
}

function list(cron: string, timeZone: string, from: Date, days: number): string[] {
  const ticks = parseCron(cron, timeZone);
  const found: string[] = [];
  let at = ticks.after(new Date(from.getTime() - 1));
  while (at && at.getTime() < from.getTime() + days * 86_400_000) {
    found.push(at.toISOString());
    at = ticks.after(at);
  }
  return found;
}

const shifts = [
  "Europe/Berlin 2026-03-28",
  "Europe/Berlin 2026-10-24",
  "America/New_York 2026-03-07",
  "America/New_York 2026-10-31",
  "Australia/Lord_Howe 2026-04-03",
  "Australia/Lord_Howe 2026-10-02",
  "America/Santiago 2026-04-03",
  "America/Santiago 2026-09-05",
  "Africa/Cairo 2026-04-23",
  "Africa/Cairo 2026-10-29",
  "Asia/Kolkata 2026-03-28",
  "Asia/Kathmandu 2026-10-24",
  "UTC 2026-03-28",
  "Pacific/Chatham 2026-09-25",
  "Atlantic/Azores 2026-10-24",
  "Antarctica/Troll 2026-03-28",
];
const crons = [
  "30 2 * * *",
  "0 0 * * *",
  "15 2 * * *",
  "45 1 * * *",
  "0,30 2 * * *",
  "*/20 2 * * *",
  "30 1-3 * * *",
  "10 */2 * * *",
  "30 * * * *",
  "*/15 * * * *",
  "59 23 * * *",
  "5-10/5 0,1,2,3 * * *",
  "* 2 * * *",
];

describe("ticks over a shift", () => {
  test.each(shifts)("of %s are as the calendar has them", (shift) => {
    const [timeZone = "", day] = shift.split(" ");
    const from = new Date(`${day}T00:00:00Z`);
    const walls = readWalls(timeZone, from, 3);
    for (const cron of crons) expect(list(cron, timeZone, from, 3), cron).toEqual(count(cron, walls));
  });
});

// Written by hand.
test.each([
  [
    "once at the shift on the day that lacks it",
    "30 2 * * *",
    "2026-03-28T12:00Z",
    "2026-03-29T01:00Z 2026-03-30T00:30Z",
  ],
  ["once on the day that has it twice", "30 2 * * *", "2026-10-24T12:00Z", "2026-10-25T00:30Z 2026-10-26T01:30Z"],
  [
    "at each of its minutes once",
    "*/30 2 * * *",
    "2026-10-24T12:00Z",
    "2026-10-25T00:00Z 2026-10-25T00:30Z 2026-10-26T01:00Z",
  ],
  [
    "in every hour that passes",
    "30 * * * *",
    "2026-10-25T00:00Z",
    "2026-10-25T00:30Z 2026-10-25T01:30Z 2026-10-25T02:30Z",
  ],
  ["on days by name", "0 9 * * MON-FRI", "2026-10-02T12:00Z", "2026-10-05T07:00Z 2026-10-06T07:00Z"],
  ["on either day when both are said", "0 0 1 * sun", "2026-10-29T12:00Z", "2026-10-31T23:00Z 2026-11-07T23:00Z"],
  ["in a leap year", "0 0 29 feb *", "2026-10-29T12:00Z", "2028-02-28T23:00Z"],
])("a tick is %s", (_what, cron, from, expected) => {
  const ticks = parseCron(cron, "Europe/Berlin");
  let at = new Date(from);
  for (const next of expected.split(" ")) {
    at = ticks.after(at) ?? new Date(0);
    expect(at).toEqual(new Date(next));
  }
});

test.each([
  ["0 0 1 1 *", "2020-01-01T12:00Z", "2026-05-05T00:00Z", "2026-01-01T00:00Z"],
  ["* * * * *", "2020-01-01T12:00Z", "2026-05-05T00:00Z", "2026-05-05T00:00Z"],
  ["0 0 * * *", "2026-05-04T00:00Z", "2026-05-04T23:59Z", undefined],
  ["0 0 29 2 *", "2020-01-01T12:00Z", "2026-05-05T00:00Z", "2024-02-29T00:00Z"],
])("the last tick of %s from %s to %s is %s, and found soon", (cron, since, at, expected) => {
  const beganMs = performance.now();
  const last = parseCron(cron, "UTC").lastBetween(new Date(since), new Date(at));
  expect(last).toEqual(expected === undefined ? undefined : new Date(expected));
  expect(performance.now() - beganMs).toBeLessThan(2_000);
});

test.each([
  "* * * * * *",
  "* * * *",
  "@daily",
  "60 * * * *",
  "* 24 * * *",
  "0 0 0 * *",
  "0 0 * * 8",
  "0 0 L * *",
  "? * * * *",
  "0 0 * * FRI#2",
  "0 0 15W * *",
  "0 0 31 2 *",
  "5-1 * * * *",
  "*/0 * * * *",
  "*/99 2 * * *",
  "1-99 2 * * *",
  "a b c d e",
  "0 0 * * FRIDAY",
  "30-20 2 * * *",
  "- * * * *",
  ", * * * *",
  "0 0 * foo *",
])("'%s' is refused", (cron) => {
  expect(() => parseCron(cron, "UTC")).toThrow(expect.objectContaining({ code: "SCHEDULE_CRON_INVALID" }));
});

test("a zone that there isn't is refused", () => {
  const code = "SCHEDULE_TIME_ZONE_UNKNOWN";
  expect(() => parseCron("* * * * *", "Europe/Nowhere")).toThrow(expect.objectContaining({ code }));
});
