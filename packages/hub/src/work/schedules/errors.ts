import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SCHEDULE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/commands-schedules.md describes schedules, and the hub's OpenAPI document every call.",
    meaning: "The request isn't what the call takes; the message says where.",
  },
  SCHEDULE_CRON_INVALID: {
    httpStatus: 400,
    message: "'{cron}' isn't a time in five fields: {reason}.",
    hint: "Minute, hour, day of the month, month, day of the week: `30 2 * * MON-FRI`, `*/15 * * * *`.",
    meaning: "The text isn't five fields of cron, or there is no such day.",
  },
  SCHEDULE_TIME_ZONE_UNKNOWN: {
    httpStatus: 400,
    message: "There is no time zone '{timeZone}'.",
    hint: "Name one of the IANA database, such as Europe/Berlin or UTC.",
    meaning: "There is no such time zone.",
  },
  SCHEDULE_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such schedule, or you may not see it.",
    hint: "`GET /api/v1/schedules` lists those that you may see.",
  },
  SCHEDULE_NAME_TAKEN: {
    httpStatus: 409,
    message: "Somebody else's schedule has this name.",
    hint: "Choose another name.",
  },
  SCHEDULE_TOO_LARGE: {
    httpStatus: 413,
    message: "The schedule's request has {sizeBytes} bytes, and may have {limitBytes}.",
    hint: "Let it ask for something smaller, such as a set whose objects lie elsewhere.",
    meaning: "The schedule's request has more than 256 KiB.",
  },
  SCHEDULE_TOO_MANY: {
    httpStatus: 429,
    message: "There are as many schedules as {who} may have: {limit}.",
    hint: "Remove one that nobody needs any more.",
    meaning: "This user has 50 schedules, or all together have 1,000.",
  },
  /** Why a tick began nothing. */
  SCHEDULE_OWNER_GONE: {
    message: "{owner}, who made the schedule, has no account any more.",
    hint: "Remove this schedule. Anybody who may ask for such commands can make a new one.",
    meaning: "A tick began nothing, since the person who made the schedule has no account any more.",
  },
  SCHEDULE_TICK_LATE: {
    message: "The tick came later than it may.",
    hint: "No hub was there to see it. `missed: one` lets the last tick that was missed happen later.",
    meaning: "A tick was left out, since it came later than it may: no hub was there.",
    remedy: "`missed: one` makes up for the last one.",
  },
  SCHEDULE_TICK_OVERLAPS: {
    message: "The rollout of an earlier tick is still under way ({rollout}), and the schedule has one at a time.",
    hint: "Give its commands a `deadlineSeconds` that ends in time, or let the schedule have `concurrencyPolicy: Replace`.",
    meaning:
      "A tick was left out, since the rollout of an earlier one is still under way and the schedule has one at a time (`concurrencyPolicy: Forbid`).",
    remedy: "Let its commands end in time (`deadlineSeconds`), or choose `Replace` or `Allow`.",
  },
} as const;

export const scheduleErrors: Errors<typeof table> = defineErrors(table);
