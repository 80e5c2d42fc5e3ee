import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, timestampSchema } from "../primitives.ts";

export const profileLimits: {
  /** Profiles that come with Fairlead don't count. */
  readonly profiles: number;
  readonly contentLength: number;
} = { profiles: 100, contentLength: 64 * 1024 };

export const profileNameSchema = clusterNameSchema;

const profileShape = {
  name: z.string().describe("Name of the profile, a DNS label"),
  isBuiltIn: z.boolean().describe("Whether the profile comes with Fairlead; such a profile can't be changed"),
  changedAt: timestampSchema
    .optional()
    .describe("RFC 3339 time of the latest change; absent for profiles that come with Fairlead"),
  changedBy: z
    .string()
    .optional()
    .describe("Name of the account that made the latest change; absent for profiles that come with Fairlead"),
};

const profileSchema = z
  .object(profileShape)
  .meta({ id: "FitnessProfile", description: "A fitness profile: the requirements for a fit cluster" });
export type FitnessProfile = Infer<typeof profileSchema>;

export const profileDetailSchema = z
  .object({ ...profileShape, content: z.string().describe("The profile as YAML, as its author wrote it") })
  .meta({ id: "FitnessProfileDetail", description: "A fitness profile with its content" });
export type FitnessProfileDetail = Infer<typeof profileDetailSchema>;

export const profileListSchema = z
  .object({ items: z.array(profileSchema).describe("Profiles, by name") })
  .meta({ id: "FitnessProfileList", description: "The fitness profiles" });
export type FitnessProfileList = Infer<typeof profileListSchema>;

export const putProfileRequestSchema = z
  .strictObject({
    content: z
      .string()
      .max(profileLimits.contentLength)
      .refine((content) => !content.includes("\0"), { message: "has a NUL" })
      .describe(
        `The profile as YAML or JSON, with its name inside; at most ${profileLimits.contentLength} UTF-16 code units`,
      ),
  })
  .meta({ id: "PutFitnessProfileRequest", description: "Creates or replaces a fitness profile" });
export type PutFitnessProfileRequest = Infer<typeof putProfileRequestSchema>;
