import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { gitopsMappingSchema, gitopsMappingText, gitopsModeSchema, gitopsModeText } from "./settings.ts";

const refusedObjectSchema = z.object({
  object: z.string().describe("NAMESPACE/NAME on the hub, or the UID where the hub doesn't know the name"),
  reason: z.string().describe("Stable reason, such as `taken` or `invalid`"),
  message: z.string().describe("Why the cluster rejects the object, for people"),
});
export type GitopsRefusedObject = Infer<typeof refusedObjectSchema>;

const flowSchema = z
  .object({
    flow: z.string().describe("Kind of the objects, such as `applications` or `projects`"),
    from: z.enum(["hub", "cluster"]).describe("Side that the objects come from"),
    state: z
      .enum(["away", "listing", "comparing", "open"])
      .describe(
        "`away`: the other side isn't connected. `listing`: the objects are being read. `comparing`: both sides compare all objects. `open`: changes are sent as they occur",
      ),
    objects: z.number().describe("Number of objects at the hub's end"),
    dirty: z
      .number()
      .describe(
        "Number of objects that the other side doesn't have in their current version; from the cluster: objects that the hub is writing",
      ),
    unacked: z.number().describe("Number of changes that were sent and not acknowledged yet"),
    oldestChangeAt: timestampSchema
      .optional()
      .describe("RFC 3339 time of the oldest change that the cluster hasn't acknowledged; absent where there is none"),
    comparedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which both sides last compared all objects; absent before the first time"),
    refusedCount: z.number().describe("Number of objects that the cluster rejects"),
    refused: z
      .array(refusedObjectSchema)
      .describe("Rejected objects, at most 100 over all flows of a cluster; empty in a list of clusters"),
  })
  .meta({ id: "GitopsFlowStatus", description: "Exchange of the objects of one kind in one direction" });
export type GitopsFlowStatus = Infer<typeof flowSchema>;

const heldDeletionSchema = z.object({
  uid: z.string().describe("UID of the object"),
  name: z.string().describe("NAMESPACE/NAME on the hub"),
  leftAt: timestampSchema.describe("RFC 3339 time at which the object was found missing"),
});
export type HeldDeletion = Infer<typeof heldDeletionSchema>;

const guardSchema = z
  .object({
    count: z.number().describe("Number of deletions"),
    digest: z.string().describe("Digest of exactly this set of deletions, which a confirmation must name"),
    heldSince: timestampSchema.describe("RFC 3339 time since which the deletions wait"),
    deletions: z
      .array(heldDeletionSchema)
      .describe("The first 100 deletions, in the order in which they were found; empty in a list of clusters"),
  })
  .meta({ id: "GitopsGuard", description: "A mass deletion that waits for confirmation" });
export type GitopsGuard = Infer<typeof guardSchema>;

export const gitopsStatusSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    mode: gitopsModeSchema.describe(gitopsModeText),
    mapping: gitopsMappingSchema.describe(gitopsMappingText),
    servedBy: z.string().optional().describe("ID of the hub that serves the cluster's agent; absent where none does"),
    since: timestampSchema
      .optional()
      .describe("RFC 3339 time since which a hub serves the agent, or last did; absent where none ever has"),
    toldAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which that hub recorded the flows; absent where none ever has"),
    flows: z.array(flowSchema).describe("State of the exchange by kind and direction"),
    guard: guardSchema.optional().describe("Deletions that wait for confirmation; absent where there are none"),
  })
  .meta({ id: "GitopsStatus", description: "State of the exchange of Argo CD applications with a cluster" });
export type GitopsStatus = Infer<typeof gitopsStatusSchema>;

export const gitopsStatusListSchema = z
  .object({
    items: z.array(gitopsStatusSchema).describe("Clusters, by name"),
    next: z.string().optional().describe("Cursor of the next page; absent on the last page"),
  })
  .meta({ id: "GitopsStatusList", description: "A page of the exchanges with clusters" });
export type GitopsStatusList = Infer<typeof gitopsStatusListSchema>;

export const gitopsStatusListQuerySchema = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("Maximum number of clusters on a page, at most 100 (default 50)"),
  cursor: z.string().max(63).optional().describe("`next` of the previous page"),
});
export type GitopsStatusListQuery = Infer<typeof gitopsStatusListQuerySchema>;

export const confirmDeletionsRequestSchema = z
  .strictObject({
    count: z.number().int().min(1).max(5_000).describe("`count` of the guard that was looked at, at most 5,000"),
    digest: z.string().min(1).max(64).describe("`digest` of the guard that was looked at"),
  })
  .meta({ id: "ConfirmDeletionsRequest", description: "Confirms a mass deletion that waits" });
export type ConfirmDeletionsRequest = Infer<typeof confirmDeletionsRequestSchema>;

export const confirmedDeletionsSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    count: z.number().describe("Number of confirmed deletions"),
  })
  .meta({ id: "ConfirmedDeletions", description: "A confirmed mass deletion" });
export type ConfirmedDeletions = Infer<typeof confirmedDeletionsSchema>;
