import { z } from "zod";
import { clusterStateSchema } from "../cluster.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

export const kindStateSchema = z.enum(["listing", "comparing", "synced", "unavailable"]);
export type KindState = Infer<typeof kindStateSchema>;

export const kindStateText =
  "`listing`: the agent has no complete list yet. `comparing`: the differences are being sent. `synced`: the hub's copy is current. `unavailable`: the agent can't read the kind, and the hub shows the last known objects";

const kindTroubleSchema = z
  .object({
    kind: z.string().describe("Kind as plural and API group, such as `pods` or `deployments.apps`"),
    state: kindStateSchema.describe(kindStateText),
    code: z.string().optional().describe("Stable code that docs/errors.md explains; absent where nothing failed"),
    message: z.string().optional().describe("Why the kind isn't in sync, for people; absent where nothing failed"),
  })
  .meta({ id: "KindTrouble", description: "A kind of a cluster whose copy on the hub isn't in sync" });
export type KindTrouble = Infer<typeof kindTroubleSchema>;

const missingKindSchema = z
  .object({
    kind: z.string().describe("Kind as plural and API group, such as `pods` or `deployments.apps`"),
    reason: z
      .enum(["forbidden", "not-observed"])
      .describe("`forbidden`: the caller may see no objects of it. `not-observed`: the hub has no copy of it"),
  })
  .meta({ id: "MissingKind", description: "A requested kind whose objects in one cluster the answer lacks" });
export type MissingKind = Infer<typeof missingKindSchema>;

export const dataAgeSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    state: clusterStateSchema.describe("State of the cluster's connection"),
    verifiedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the data was last known to match the cluster; absent where it never was"),
    ageMs: z
      .number()
      .optional()
      .describe("Milliseconds from `verifiedAt` to the answer; absent where the data never matched"),
    troubles: z
      .array(kindTroubleSchema)
      .optional()
      .describe("Requested kinds that aren't in sync; absent where all are"),
    missing: z
      .array(missingKindSchema)
      .optional()
      .describe("Requested kinds whose objects the answer lacks; absent where it has all"),
  })
  .meta({
    id: "DataAge",
    description: "How old an answer's data about one cluster is; an answer over several clusters has one for each",
  });
export type DataAge = Infer<typeof dataAgeSchema>;
