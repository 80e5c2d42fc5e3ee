import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema } from "../primitives.ts";
import { createRolloutRequestSchema } from "../rollouts/index.ts";
import { concurrencyPolicies } from "./schedule.ts";

export const putScheduleRequestSchema = z
  .strictObject({
    cron: z
      .string()
      .min(9)
      .max(200)
      .describe(
        "Cron expression: minute, hour, day of the month, month and day of the week, such as `30 2 * * MON-FRI`",
      ),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .describe("Time zone of the cron expression in the IANA database, such as `Europe/Berlin`"),
    // Both in one check: a description after a refinement would repeat the whole schema in OpenAPI beside its reference.
    request: createRolloutRequestSchema.check(
      z.refine((request) => request.idempotencyKey === undefined, { message: "has a key of its own for each tick" }),
      z.describe("Rollout to start at each tick, without `idempotencyKey`; the hub selects its clusters at each tick"),
    ),
    missed: z
      .enum(["skip", "one"])
      .optional()
      .describe(
        "What happens to ticks that came too late: `skip` leaves them out, `one` makes up for the last of them (default `skip`)",
      ),
    startingDeadlineSeconds: z
      .int()
      .min(10)
      .max(7 * 86_400)
      .optional()
      .describe(
        "Seconds by which a tick can be late, from 10 to 604800, which is seven days (default 60; no limit where `missed` is `one`)",
      ),
    concurrencyPolicy: z
      .enum(concurrencyPolicies)
      .optional()
      .describe(
        "What a tick does while the rollout of an earlier tick is in progress: `Allow` starts another one, `Forbid` starts nothing, `Replace` cancels the earlier one and starts another (default `Allow`)",
      ),
    paused: z.boolean().optional().describe("Whether the schedule starts nothing for now (default false)"),
  })
  .meta({ id: "PutScheduleRequest", description: "Creates or replaces a schedule" });
export type PutScheduleRequest = Infer<typeof putScheduleRequestSchema>;

export const scheduleNameSchema = clusterNameSchema;
