import { z } from "zod";
import { clusterNameSchema } from "../primitives.ts";
import { type CreateRolloutRequest, createRolloutRequestSchema } from "../rollouts/index.ts";
import { type ConcurrencyPolicy, concurrencyPolicies } from "./schedule.ts";

export interface PutScheduleRequest {
  readonly cron: string;
  readonly timeZone: string;
  readonly request: CreateRolloutRequest;
  /** Ticks that came too late are skipped unless told; `one` makes up for the last of them. */
  readonly missed?: "skip" | "one" | undefined;
  /** So late a tick may be: 60 s unless told; with `missed: one` without end unless told. */
  readonly startingDeadlineSeconds?: number | undefined;
  /** `Allow` unless told. */
  readonly concurrencyPolicy?: ConcurrencyPolicy | undefined;
  readonly paused?: boolean | undefined;
}

export const putScheduleRequestSchema: z.ZodType<PutScheduleRequest> = z
  .strictObject({
    cron: z.string().min(9).max(200),
    timeZone: z.string().min(1).max(64),
    request: createRolloutRequestSchema.refine((request) => request.idempotencyKey === undefined, {
      message: "has a key of its own for each tick",
    }),
    missed: z.enum(["skip", "one"]).optional(),
    startingDeadlineSeconds: z
      .int()
      .min(10)
      .max(7 * 86_400)
      .optional(),
    concurrencyPolicy: z.enum(concurrencyPolicies).optional(),
    paused: z.boolean().optional(),
  })
  .meta({ id: "PutScheduleRequest" });

export const scheduleNameSchema: z.ZodType<string> = clusterNameSchema;
