import type { PutScheduleRequest, ScheduleDetail } from "@fairlead/contract";

/** A schedule on the hub beside the one of a file, each with what the other leaves to the defaults. */
export function compareSchedule(
  schedule: ScheduleDetail | undefined,
  request: PutScheduleRequest,
): { readonly before: object | undefined; readonly after: object } {
  const after = { ...defaults, ...request };
  if (!schedule) return { before: undefined, after };
  const { cron, timeZone, missed, startingDeadlineSeconds, concurrencyPolicy, paused } = schedule;
  const before = { cron, timeZone, missed, startingDeadlineSeconds, concurrencyPolicy, paused };
  // Only its owner is shown what a schedule requests, so others can't compare it.
  if (schedule.request !== undefined) return { before: { ...before, request: schedule.request }, after };
  const { request: _, ...visible } = after;
  return { before, after: visible };
}

const defaults = { missed: "skip", concurrencyPolicy: "Allow", paused: false };
