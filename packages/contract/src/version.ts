import { z } from "zod";

export interface HubVersion {
  readonly version: string;
  readonly hubInstanceId: string;
  /** Link protocol versions that this hub speaks. */
  readonly protocolVersions: string[];
  readonly trustDomain: string;
}

export const hubVersionSchema: z.ZodType<HubVersion> = z
  .object({
    version: z.string(),
    hubInstanceId: z.string(),
    protocolVersions: z.array(z.string()),
    trustDomain: z.string(),
  })
  .meta({ id: "HubVersion" });
