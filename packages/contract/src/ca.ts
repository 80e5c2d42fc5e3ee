// The hub's certificate authority, and how one follows another.
import { z } from "zod";
import { timestampSchema } from "./primitives.ts";

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

/** On every answer of the hub's API: fingerprints of the CAs whose certificates it may show, separated by commas. */
export const caHeader = "fairlead-ca";
