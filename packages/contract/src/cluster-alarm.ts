import { z } from "zod";
import type { Infer } from "./infer.ts";
import { timestampSchema } from "./primitives.ts";

export const clusterAlarmSchema = z
  .object({
    id: z.string().describe("ID of the alarm within its cluster"),
    type: z.string().describe("Stable kebab-case type, such as `token-misused` or `link-misused`"),
    message: z.string().describe("What happened, for people"),
    firstAt: timestampSchema.describe("RFC 3339 time of the first occurrence"),
    lastAt: timestampSchema.describe("RFC 3339 time of the latest occurrence"),
    count: z.number().describe("Number of equal occurrences that this alarm stands for"),
    isSum: z
      .boolean()
      .describe(
        "Whether the alarm sums up different occurrences of its type because there were too many to list; its message is then that of the latest",
      ),
  })
  .meta({
    id: "ClusterAlarm",
    description: "An event that a person must look at; the alarm stays until someone marks it as seen",
  });
export type ClusterAlarm = Infer<typeof clusterAlarmSchema>;

export const seeAlarmRequestSchema = z
  .strictObject({
    count: z.int().min(1).describe("`count` of the alarm when it was looked at; the alarm stays if it has grown since"),
  })
  .meta({ id: "SeeAlarmRequest", description: "Marks an alarm as seen" });
export type SeeAlarmRequest = Infer<typeof seeAlarmRequestSchema>;
