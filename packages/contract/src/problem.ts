import type { Problem } from "@fairlead/kernel";
import { z } from "zod";

/** The type is the kernel's, which has no schemas. */
export const problemSchema: z.ZodType<Problem> = z
  .object({
    type: z.string().describe("`urn:fairlead:error:` followed by the code"),
    title: z.string().describe("The code once more, for readers that know RFC 9457 only"),
    status: z.int().describe("HTTP status of the response"),
    code: z.string().describe("Stable code that docs/errors.md explains, such as `CLUSTER_NOT_FOUND`"),
    detail: z.string().describe("What happened, for people"),
    hint: z.string().optional().describe("What to do about it; absent where there is no advice"),
    requestId: z.string().optional().describe("ID of the request in the hub's log and audit records"),
  })
  .meta({ id: "Problem", description: "An error (RFC 9457); the body of every failed request to this API" });

export const problemContentType = "application/problem+json";
