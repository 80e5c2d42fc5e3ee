import { z } from "zod";
import { stackNameSchema } from "./requests.ts";

export interface StackListQuery {
  /** At most 500; 100 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface StackRunListQuery {
  /** At most 100; 20 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export const stackListQuerySchema: z.ZodType<StackListQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: stackNameSchema.optional(),
});

export const stackRunListQuerySchema: z.ZodType<StackRunListQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
    .optional(),
});
