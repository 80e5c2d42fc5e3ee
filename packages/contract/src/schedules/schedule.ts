import { z } from "zod";
import { commandTroubleSchema } from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

/** As CronJobs of Kubernetes have it. */
export type ConcurrencyPolicy = (typeof concurrencyPolicies)[number];
export const concurrencyPolicies = ["Allow", "Forbid", "Replace"] as const;

const tickSchema = z
  .object({
    at: timestampSchema.describe("RFC 3339 time that the tick was scheduled for"),
    state: z
      .enum(["due", "begun", "failed", "skipped"])
      .describe(
        "`due`: about to start. `begun`: it started a rollout. `failed`: it couldn't start one. `skipped`: it was too late, or `concurrencyPolicy` was `Forbid` and an earlier rollout was in progress",
      ),
    rollout: z.string().optional().describe("ID of the rollout that the tick started; absent where it started none"),
    trouble: commandTroubleSchema.optional().describe("Why the tick failed or was skipped"),
  })
  .meta({ id: "ScheduleTick", description: "One time at which a schedule was due" });
export type ScheduleTick = Infer<typeof tickSchema>;

const scheduleShape = {
  name: z.string().describe("Name of the schedule, a DNS label"),
  cron: z
    .string()
    .describe("Cron expression: minute, hour, day of the month, month and day of the week, such as `30 2 * * MON-FRI`"),
  timeZone: z.string().describe("Time zone of the cron expression in the IANA database, such as `Europe/Berlin`"),
  missed: z
    .enum(["skip", "one"])
    .describe("What happens to ticks that came too late: `skip` leaves them out, `one` makes up for the last of them"),
  startingDeadlineSeconds: z
    .number()
    .optional()
    .describe("Seconds by which a tick can be late; absent: 60, or no limit where `missed` is `one`"),
  concurrencyPolicy: z
    .enum(concurrencyPolicies)
    .describe(
      "What a tick does while the rollout of an earlier tick is in progress: `Allow` starts another one, `Forbid` starts nothing, `Replace` cancels the earlier one and starts another",
    ),
  paused: z.boolean().describe("Whether the schedule is paused and starts nothing"),
  owner: z.string().describe("Name of the account whose rights the schedule's rollouts have"),
  kind: z.string().describe("Kind of the commands that each tick creates, such as `manifests`"),
  createdAt: timestampSchema.describe("RFC 3339 time at which the schedule was created"),
  nextTickAt: timestampSchema
    .optional()
    .describe("RFC 3339 time of the next tick; absent where there is none, as while the schedule is paused"),
  lastTick: tickSchema.optional().describe("The latest tick; absent before the first"),
};

export const scheduleSchema = z
  .object(scheduleShape)
  .meta({ id: "Schedule", description: "Starts the same rollout again and again, by the clock" });
export type Schedule = Infer<typeof scheduleSchema>;

export const scheduleDetailSchema = z
  .object({
    ...scheduleShape,
    request: z.unknown().optional().describe("Rollout request of each tick; only the schedule's owner sees it"),
    ticks: z.array(tickSchema).describe("The latest 50 ticks, newest first"),
  })
  .meta({ id: "ScheduleDetail", description: "A schedule with its latest ticks" });
export type ScheduleDetail = Infer<typeof scheduleDetailSchema>;

export const scheduleListSchema = z
  .object({ items: z.array(scheduleSchema).describe("Schedules, by name") })
  .meta({ id: "ScheduleList", description: "The schedules that the caller may see" });
export type ScheduleList = Infer<typeof scheduleListSchema>;
