import { z } from "zod";
import { timestampSchema } from "./primitives.ts";

/** Something that a person should look at. It stays until one says that it was seen. */
export interface ClusterAlarm {
  readonly id: string;
  /** Stable, kebab-case: `token-misused`, `link-misused` … */
  readonly type: string;
  readonly message: string;
  readonly firstAt: string;
  readonly lastAt: string;
  /** How many equal ones it stands for. */
  readonly count: number;
  /** There were too many different alarms of its type: the message is that of the latest. */
  readonly isSum: boolean;
}

export const clusterAlarmSchema: z.ZodType<ClusterAlarm> = z
  .object({
    id: z.string(),
    type: z.string(),
    message: z.string(),
    firstAt: timestampSchema,
    lastAt: timestampSchema,
    count: z.number(),
    isSum: z.boolean(),
  })
  .meta({ id: "ClusterAlarm" });

export interface SeeAlarmRequest {
  /** How many it stood for when it was seen: when there are more by now, it stays. */
  readonly count: number;
}

export const seeAlarmRequestSchema: z.ZodType<SeeAlarmRequest> = z
  .strictObject({ count: z.int().min(1) })
  .meta({ id: "SeeAlarmRequest" });
