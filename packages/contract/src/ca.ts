// The hub's certificate authority, and how one follows another.
import { z } from "zod";
import type { Infer } from "./infer.ts";
import { timestampSchema } from "./primitives.ts";

const caAuthoritySchema = z.object({
  fingerprint: z.string().describe("SHA-256 of the authority's certificate (DER), in hexadecimal"),
  use: z
    .enum(["current", "leaving", "coming"])
    .describe(
      "`current`: the only trusted authority. While two are trusted, `leaving` is the old one and `coming` its successor",
    ),
  createdAt: timestampSchema.describe("RFC 3339 time at which the authority was created"),
  notAfter: timestampSchema.describe("RFC 3339 time at which its certificate expires"),
  agents: z.int().describe("Number of agents that use certificates of this authority"),
  clusters: z.array(z.string()).describe("Names of the clusters of these agents"),
});
export type CaAuthority = Infer<typeof caAuthoritySchema>;

export const caStatusSchema = z
  .object({
    state: z
      .enum(["single", "overlapping"])
      .describe("`overlapping` while an old and a new authority are both trusted"),
    authorities: z
      .array(caAuthoritySchema)
      .describe("Trusted authorities; the one that signed the certificates of the hub's listeners comes first"),
  })
  .meta({ id: "CaStatus", description: "The hub's certificate authorities" });
export type CaStatus = Infer<typeof caStatusSchema>;

export const rotateCaRequestSchema = z
  .strictObject({
    renewWithinMs: z
      .int()
      .min(0)
      .max(86_400_000)
      .optional()
      .describe(
        "Period in milliseconds within which agents renew, each at a random time (default one minute, longer for many agents; at most one day)",
      ),
  })
  .meta({ id: "RotateCaRequest", description: "Creates a new certificate authority beside the old one" });
export type RotateCaRequest = Infer<typeof rotateCaRequestSchema>;

export const retireCaRequestSchema = z
  .strictObject({
    force: z
      .boolean()
      .optional()
      .describe("Retire the authority even while agents use it; those agents must enroll again (default false)"),
  })
  .meta({ id: "RetireCaRequest", description: "Ends the old certificate authority" });
export type RetireCaRequest = Infer<typeof retireCaRequestSchema>;
