// A request for a role for a time, which another person grants or denies.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { clusterChoiceSchema } from "./binding.ts";
import { plainNameSchema, reasonSchema } from "./names.ts";

/** Bounds of the time for which a role can be requested, in milliseconds. */
export const accessRequestTtlLimits: { readonly minMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  maxMs: 30 * 24 * 3_600_000,
};

const ttlSchema = z.number().int().min(accessRequestTtlLimits.minMs).max(accessRequestTtlLimits.maxMs);
const maxNames = 100;
const choiceSchema = clusterChoiceSchema.refine(
  (clusters) => !("names" in clusters) || clusters.names.length <= maxNames,
  { message: `names more than ${maxNames} clusters` },
);

export const createAccessRequestSchema = z
  .strictObject({
    role: plainNameSchema.describe("Name of the role that the requester wants"),
    clusters: choiceSchema.describe("Clusters in which the requester wants the role; at most 100 by name"),
    ttlMs: ttlSchema.describe("Time for which the requester wants the role, from the approval on, in milliseconds"),
    reason: reasonSchema.describe("Reason for the request, for the approver and the records"),
  })
  .meta({ id: "CreateAccessRequest", description: "A request for a role for a time, for the caller" });
export type CreateAccessRequest = Infer<typeof createAccessRequestSchema>;

const commentSchema = reasonSchema.optional();

export const approveAccessRequestSchema = z
  .strictObject({
    ttlMs: ttlSchema
      .optional()
      .describe("Time for which the role is granted, in milliseconds; at most what was asked for (default: that)"),
    record: z
      .boolean()
      .optional()
      .describe("Record `exec` and `attach` sessions that the granted role permits (default false)"),
    comment: commentSchema.describe("Comment of the approver, for people"),
  })
  .meta({ id: "ApproveAccessRequest", description: "An approval of an access request" });
export type ApproveAccessRequest = Infer<typeof approveAccessRequestSchema>;

export const denyAccessRequestSchema = z
  .strictObject({ comment: commentSchema.describe("Reason for the denial, for the requester") })
  .meta({ id: "DenyAccessRequest", description: "A denial of an access request" });
export type DenyAccessRequest = Infer<typeof denyAccessRequestSchema>;

const by = z.string().describe("Name of the subject that decided");
const at = timestampSchema.describe("RFC 3339 time of the decision");
const comment = z.string().optional().describe("Comment of the subject that decided");
const stateSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("pending").describe("Nobody has decided yet") }),
    z.object({
      kind: z.literal("approved").describe("Somebody granted the role for a time"),
      by,
      at,
      binding: z.string().describe("ID of the binding that grants the role"),
      endsAt: timestampSchema.describe("RFC 3339 time at which the granted role ends"),
      comment,
    }),
    z.object({ kind: z.literal("denied").describe("Somebody denied the request"), by, at, comment }),
    z.object({ kind: z.literal("cancelled").describe("The requester withdrew the request"), at }),
    z.object({ kind: z.literal("expired").describe("Nobody decided in time"), at }),
  ])
  .meta({ id: "AccessRequestState", description: "State of an access request. Every state but `pending` is final" });
export type AccessRequestState = Infer<typeof stateSchema>;

export const accessRequestSchema = z
  .object({
    id: z.string().describe("ID of the request"),
    user: z.string().describe("Name of the user who wants the role"),
    role: z.string().describe("Name of the role that the user wants"),
    clusters: clusterChoiceSchema.describe("Clusters in which the user wants the role"),
    ttlMs: z.number().describe("Time for which the user wants the role, from the approval on, in milliseconds"),
    reason: z.string().describe("Reason for the request, in the words of the user"),
    createdAt: timestampSchema.describe("RFC 3339 time at which the request was created"),
    expiresAt: timestampSchema.describe("RFC 3339 time until which the request can be approved"),
    state: stateSchema.describe("State of the request"),
  })
  .meta({ id: "AccessRequest", description: "A user's request for a role for a time" });
export type AccessRequest = Infer<typeof accessRequestSchema>;

export const accessRequestQuerySchema = z.strictObject({
  state: z
    .enum(["pending", "approved", "denied", "cancelled", "expired"])
    .optional()
    .describe("Only requests in this state (default: all)"),
});

export const accessRequestListSchema = z
  .object({ items: z.array(accessRequestSchema).describe("The newest requests, at most 500, newest first") })
  .meta({ id: "AccessRequestList", description: "List of access requests" });
export type AccessRequestList = Infer<typeof accessRequestListSchema>;
