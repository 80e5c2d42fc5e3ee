import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SCHEDULE_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/commands-schedules.md for schedules, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says where.",
  },
  SCHEDULE_CRON_INVALID: {
    httpStatus: 400,
    message: "'{cron}' isn't a valid cron expression: {reason}.",
    hint: "Write five fields (minute, hour, day of the month, month, day of the week), for example `30 2 * * MON-FRI` or `*/15 * * * *`.",
    meaning: "The text isn't a cron expression with five fields, or it never matches a day.",
  },
  SCHEDULE_TIME_ZONE_UNKNOWN: {
    httpStatus: 400,
    message: "The time zone '{timeZone}' doesn't exist.",
    hint: "Use a time zone of the IANA database, such as Europe/Berlin or UTC.",
    meaning: "The time zone doesn't exist.",
  },
  SCHEDULE_NOT_FOUND: {
    httpStatus: 404,
    message: "The schedule doesn't exist, or you can't see it.",
    hint: "List the schedules that you can see: `GET /api/v1/schedules`.",
  },
  SCHEDULE_NAME_TAKEN: {
    httpStatus: 409,
    message: "The name is in use by another user's schedule.",
    hint: "Choose another name.",
  },
  SCHEDULE_TOO_LARGE: {
    httpStatus: 413,
    message: "The schedule's request has {sizeBytes} bytes; the limit is {limitBytes} bytes.",
    hint: "Use a smaller request, such as a set that refers to objects stored elsewhere.",
    meaning: "The schedule's request is larger than 256 KiB.",
  },
  SCHEDULE_TOO_MANY: {
    httpStatus: 429,
    message: "Too many schedules exist: the limit for {who} is {limit}.",
    hint: "Remove a schedule that isn't needed.",
    meaning: "The user has 50 schedules, or all users together have 1,000.",
  },
  /** Why a tick began nothing. */
  SCHEDULE_OWNER_GONE: {
    message: "The account of {owner}, who created the schedule, no longer exists.",
    hint: "Remove this schedule. Any user who can create such commands can create a new one.",
    meaning: "The tick was skipped, because the account of the schedule's creator no longer exists.",
  },
  SCHEDULE_TICK_LATE: {
    message: "The tick was skipped, because its start deadline had passed.",
    hint: "No hub was running at that time. Set `missed: one` to run the last missed tick later.",
    meaning: "The tick was skipped, because no hub was running at that time and its start deadline had passed.",
    remedy: "Set `missed: one` to run the last missed tick later.",
  },
  SCHEDULE_TICK_OVERLAPS: {
    message: "The rollout of an earlier tick is still in progress ({rollout}), and the schedule allows one at a time.",
    hint: "Set `deadlineSeconds` so that its commands end in time, or set `concurrencyPolicy: Replace`.",
    meaning:
      "The tick was skipped, because an earlier tick's rollout is still in progress and the schedule allows one at a time (`concurrencyPolicy: Forbid`).",
    remedy: "Set `deadlineSeconds` so that its commands end in time, or use `Replace` or `Allow`.",
  },
} as const;

export const scheduleErrors: Errors<typeof table> = defineErrors(table);
