// The hub's certificate authority, and how one follows another.
import { z } from "zod";
import type { Infer } from "./infer.ts";
import type { Operation } from "./operation.ts";
import { timestampSchema } from "./primitives.ts";
import type { CallOptions, Send } from "./send.ts";

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

export const caPaths = {
  status: "/api/v1/ca",
  rotate: "/api/v1/ca/rotate",
  retire: "/api/v1/ca/retire",
} as const;

/** On every answer of the hub's API: fingerprints of the CAs whose certificates it may show, separated by commas. */
export const caHeader = "fairlead-ca";

export const caOperations: readonly Operation[] = [
  {
    id: "getCa",
    method: "get",
    path: caPaths.status,
    summary: "The hub's certificate authorities, and how many agents go by each",
    needsToken: true,
    success: { status: 200, description: "One, or two while one follows another", body: caStatusSchema },
  },
  {
    id: "rotateCa",
    method: "post",
    path: caPaths.rotate,
    summary: "Make a new certificate authority beside the old one, and ask agents to renew under it",
    needsToken: true,
    request: rotateCaRequestSchema,
    success: { status: 200, description: "Both authorities", body: caStatusSchema },
  },
  {
    id: "retireCa",
    method: "post",
    path: caPaths.retire,
    summary: "End the old certificate authority",
    needsToken: true,
    request: retireCaRequestSchema,
    success: { status: 200, description: "The one that is left", body: caStatusSchema },
  },
];

export interface CaCalls {
  getCa(options?: CallOptions): Promise<CaStatus>;
  rotateCa(request: RotateCaRequest, options?: CallOptions): Promise<CaStatus>;
  retireCa(request: RetireCaRequest, options?: CallOptions): Promise<CaStatus>;
}

export function createCaCalls(send: Send): CaCalls {
  const answer = caStatusSchema;
  return {
    getCa: (call) => send({ ...call, method: "GET", path: caPaths.status, answer }),
    rotateCa: (body, call) => send({ ...call, method: "POST", path: caPaths.rotate, body, answer }),
    retireCa: (body, call) => send({ ...call, method: "POST", path: caPaths.retire, body, answer }),
  };
}
