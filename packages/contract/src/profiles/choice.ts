import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { profileNameSchema } from "./profile.ts";

/** Agents examine a cluster by this profile until someone chooses another one. */
export const usualProfile = "fairlead";

export const profileChoiceSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    profile: z.string().describe("Name of the profile that the cluster is examined by"),
    generation: z
      .int()
      .min(0)
      .describe(
        "Number that grows with each change of the choice and of the chosen profile; 0 while nobody has chosen",
      ),
    changedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time of the latest choice; absent while nobody has chosen"),
    changedBy: z
      .string()
      .optional()
      .describe("Name of the account that made the latest choice; absent while nobody has chosen"),
  })
  .meta({ id: "ProfileChoice", description: "The fitness profile that a cluster is examined by" });
export type ProfileChoice = Infer<typeof profileChoiceSchema>;

export const profileChoiceListSchema = z
  .object({ items: z.array(profileChoiceSchema).describe("Choices, by the names of their clusters") })
  .meta({ id: "ProfileChoiceList", description: "The fitness profiles that clusters are examined by" });
export type ProfileChoiceList = Infer<typeof profileChoiceListSchema>;

export const putProfileChoiceRequestSchema = z
  .strictObject({ profile: profileNameSchema.describe("Name of the profile to examine the cluster by") })
  .meta({ id: "PutProfileChoiceRequest", description: "Chooses the fitness profile of a cluster" });
export type PutProfileChoiceRequest = Infer<typeof putProfileChoiceRequestSchema>;
