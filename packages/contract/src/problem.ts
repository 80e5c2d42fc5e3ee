import type { Problem } from "@fairlead/kernel";
import { z } from "zod";

/** RFC 9457 with our stable code and hint; every error of the API has this body. */
export const problemSchema: z.ZodType<Problem> = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    hint: z.string().optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: "Problem" });

export const problemContentType = "application/problem+json";
