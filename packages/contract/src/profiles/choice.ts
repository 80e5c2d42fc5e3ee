import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { profileNameSchema } from "./profile.ts";

/** The profile that a cluster is examined by. */
export interface ProfileChoice {
  readonly cluster: string;
  readonly profile: string;
  /** Rises with each change of the choice, and of the chosen profile. 0: nobody has chosen anything. */
  readonly generation: number;
  /** Absent while nobody has chosen anything. */
  readonly changedAt?: string | undefined;
  readonly changedBy?: string | undefined;
}

export interface ProfileChoiceList {
  readonly items: ProfileChoice[];
}

export interface PutProfileChoiceRequest {
  readonly profile: string;
}

/** Clusters for which nobody has chosen any are examined by this one. */
export const usualProfile = "fairlead";

export const profileChoiceSchema: z.ZodType<ProfileChoice> = z
  .object({
    cluster: z.string(),
    profile: z.string(),
    generation: z.int().min(0),
    changedAt: timestampSchema.optional(),
    changedBy: z.string().optional(),
  })
  .meta({ id: "ProfileChoice" });

export const profileChoiceListSchema: z.ZodType<ProfileChoiceList> = z
  .object({ items: z.array(profileChoiceSchema) })
  .meta({ id: "ProfileChoiceList" });

export const putProfileChoiceRequestSchema: z.ZodType<PutProfileChoiceRequest> = z
  .strictObject({ profile: profileNameSchema })
  .meta({ id: "PutProfileChoiceRequest" });
