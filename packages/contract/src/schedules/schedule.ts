import { z } from "zod";
import { type CommandTrouble, commandTroubleSchema } from "../commands/index.ts";
import { timestampSchema } from "../primitives.ts";

/**
 * At a tick while what an earlier one began is under way, as CronJobs of Kubernetes have it. `Allow`: begins one more;
 * `Forbid`: begins nothing; `Replace`: cancels what is under way, and begins.
 */
export type ConcurrencyPolicy = (typeof concurrencyPolicies)[number];
export const concurrencyPolicies = ["Allow", "Forbid", "Replace"] as const;

/** Asks for a rollout again and again, by the clock. */
export interface Schedule {
  readonly name: string;
  /** Minute, hour, day of the month, month and day of the week. */
  readonly cron: string;
  /** A name of the IANA database, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Ticks that came too late are skipped; `one` makes up for the last of them. */
  readonly missed: "skip" | "one";
  readonly startingDeadlineSeconds?: number | undefined;
  readonly concurrencyPolicy: ConcurrencyPolicy;
  readonly paused: boolean;
  /** As whom it asks. */
  readonly owner: string;
  readonly kind: string;
  readonly createdAt: string;
  readonly nextTickAt?: string | undefined;
  readonly lastTick?: ScheduleTick | undefined;
}

export interface ScheduleTick {
  /** When it was to be. */
  readonly at: string;
  /** `due`: about to be. `skipped`: it was too late, or `Forbid` left it out. */
  readonly state: "due" | "begun" | "failed" | "skipped";
  /** The id of the rollout. */
  readonly rollout?: string | undefined;
  readonly trouble?: CommandTrouble | undefined;
}

export interface ScheduleDetail extends Schedule {
  /** The request that each tick makes. Only its owner sees it. */
  readonly request?: unknown;
  /** The last ones, newest first. */
  readonly ticks: ScheduleTick[];
}

export interface ScheduleList {
  readonly items: Schedule[];
}

const tickSchema: z.ZodType<ScheduleTick> = z
  .object({
    at: timestampSchema,
    state: z.enum(["due", "begun", "failed", "skipped"]),
    rollout: z.string().optional(),
    trouble: commandTroubleSchema.optional(),
  })
  .meta({ id: "ScheduleTick" });

const scheduleShape = {
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  missed: z.enum(["skip", "one"]),
  startingDeadlineSeconds: z.number().optional(),
  // Hubs of before have no other.
  concurrencyPolicy: z.enum(concurrencyPolicies).default("Allow"),
  paused: z.boolean(),
  owner: z.string(),
  kind: z.string(),
  createdAt: timestampSchema,
  nextTickAt: timestampSchema.optional(),
  lastTick: tickSchema.optional(),
};

export const scheduleSchema: z.ZodType<Schedule> = z.object(scheduleShape).meta({ id: "Schedule" });

export const scheduleDetailSchema: z.ZodType<ScheduleDetail> = z
  .object({ ...scheduleShape, request: z.unknown().optional(), ticks: z.array(tickSchema) })
  .meta({ id: "ScheduleDetail" });

export const scheduleListSchema: z.ZodType<ScheduleList> = z
  .object({ items: z.array(scheduleSchema) })
  .meta({ id: "ScheduleList" });
