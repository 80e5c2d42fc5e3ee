import { z } from "zod";
import { clusterNameSchema, timestampSchema } from "../primitives.ts";

/** A profile says what a fit cluster is asked for. */
export interface FitnessProfile {
  readonly name: string;
  /** Comes with Fairlead. Nobody changes it. */
  readonly isBuiltIn: boolean;
  /** Absent for those that come with Fairlead. */
  readonly changedAt?: string | undefined;
  readonly changedBy?: string | undefined;
}

export interface FitnessProfileDetail extends FitnessProfile {
  /** YAML, as somebody wrote it. */
  readonly content: string;
}

export interface FitnessProfileList {
  readonly items: FitnessProfile[];
}

export interface PutFitnessProfileRequest {
  /** YAML or JSON, with the name in it. */
  readonly content: string;
}

export const profileLimits: {
  /** Those that come with Fairlead aren't counted. */
  readonly profiles: number;
  readonly contentLength: number;
} = { profiles: 100, contentLength: 64 * 1024 };

export const profileNameSchema: z.ZodType<string> = clusterNameSchema;

const profileShape = {
  name: z.string(),
  isBuiltIn: z.boolean(),
  changedAt: timestampSchema.optional(),
  changedBy: z.string().optional(),
};

const profileSchema: z.ZodType<FitnessProfile> = z.object(profileShape).meta({ id: "FitnessProfile" });

export const profileDetailSchema: z.ZodType<FitnessProfileDetail> = z
  .object({ ...profileShape, content: z.string() })
  .meta({ id: "FitnessProfileDetail" });

export const profileListSchema: z.ZodType<FitnessProfileList> = z
  .object({ items: z.array(profileSchema) })
  .meta({ id: "FitnessProfileList" });

export const putProfileRequestSchema: z.ZodType<PutFitnessProfileRequest> = z
  .strictObject({
    content: z
      .string()
      .max(profileLimits.contentLength)
      .refine((content) => !content.includes("\0"), { message: "has a NUL" }),
  })
  .meta({ id: "PutFitnessProfileRequest" });
