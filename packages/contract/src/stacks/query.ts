import { z } from "zod";
import type { Infer } from "../infer.ts";
import { stackNameSchema } from "./requests.ts";

export const stackListQuerySchema = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Maximum number of stacks on a page, at most 500 (default 100)"),
  cursor: stackNameSchema.optional().describe("`next` of the previous page"),
});
export type StackListQuery = Infer<typeof stackListQuerySchema>;

export const stackRunListQuerySchema = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("Maximum number of runs on a page, at most 100 (default 20)"),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
    .optional()
    .describe("`next` of the previous page"),
});
export type StackRunListQuery = Infer<typeof stackRunListQuerySchema>;
