// The hub's certificate authority, and how one follows another.
import { z } from "zod";
import type { Operation } from "./old-operation.ts";
import { timestampSchema } from "./primitives.ts";
import type { CallOptions, Send } from "./send.ts";

export interface CaAuthority {
  /** SHA-256 of its certificate (DER), hex. */
  readonly fingerprint: string;
  /** `leaving` and `coming` while both are trusted. */
  readonly use: "current" | "leaving" | "coming";
  readonly createdAt: string;
  readonly notAfter: string;
  /** How many agents go by its certificates. */
  readonly agents: number;
  /** Names of their clusters. */
  readonly clusters: string[];
}

export interface CaStatus {
  readonly state: "single" | "overlapping";
  /** The one that listeners show comes first. */
  readonly authorities: CaAuthority[];
}

export const caStatusSchema: z.ZodType<CaStatus> = z
  .object({
    state: z.enum(["single", "overlapping"]),
    authorities: z.array(
      z.object({
        fingerprint: z.string(),
        use: z.enum(["current", "leaving", "coming"]),
        createdAt: timestampSchema,
        notAfter: timestampSchema,
        agents: z.int(),
        clusters: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: "CaStatus" });

export interface RotateCaRequest {
  /** Agents renew at random times within this; a minute, or more for many agents, unless told. */
  readonly renewWithinMs?: number | undefined;
}

export const rotateCaRequestSchema: z.ZodType<RotateCaRequest> = z
  .strictObject({ renewWithinMs: z.int().min(0).max(86_400_000).optional() })
  .meta({ id: "RotateCaRequest" });

export interface RetireCaRequest {
  /** Also while agents go by it: they must enroll again. */
  readonly force?: boolean | undefined;
}

export const retireCaRequestSchema: z.ZodType<RetireCaRequest> = z
  .strictObject({ force: z.boolean().optional() })
  .meta({ id: "RetireCaRequest" });

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
