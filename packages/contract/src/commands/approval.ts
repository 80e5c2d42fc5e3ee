import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { commandLimits } from "./names.ts";

const comment = z
  .string()
  .min(1)
  .max(commandLimits.commentLength)
  .optional()
  .describe("Comment for other people, kept in the history (default: none)");

export const approvalWishSchema = z
  .strictObject({
    required: z
      .int()
      .min(1)
      .max(commandLimits.maxApprovals)
      .optional()
      .describe("Number of approvals required, 1 to 10 (default 1)"),
    fourEyes: z.boolean().optional().describe("Don't count the requester's own approval (default true)"),
    seconds: z
      .int()
      .min(1)
      .max(commandLimits.maxApprovalSeconds)
      .optional()
      .describe("Time in which the plan must be approved, in seconds, at most 30 days (default 86400)"),
  })
  .meta({
    id: "ApprovalWish",
    description: "Plan the command first, and apply exactly that plan once enough people have approved it",
  });
export type ApprovalWish = Infer<typeof approvalWishSchema>;

export const commandApprovalSchema = z
  .object({
    required: z.number().describe("Number of approvals required"),
    given: z.number().describe("Number of approvals given so far that count"),
    fourEyes: z.boolean().describe("Whether the requester's own approval doesn't count"),
    digest: z
      .string()
      .optional()
      .describe("Digest of the current plan, 64 hexadecimal digits. Absent while there is no plan"),
    round: z
      .number()
      .optional()
      .describe("Number of the current plan, for flows that are planned several times. Absent for the first plan"),
    until: timestampSchema.optional().describe("RFC 3339 time until which the plan can be approved"),
    isToPlan: z
      .boolean()
      .optional()
      .describe("Whether planning itself waits for approval, so that there is no plan yet (default false)"),
  })
  .meta({ id: "CommandApproval", description: "Progress of the approval of a command" });
export type CommandApproval = Infer<typeof commandApprovalSchema>;

export const givenApprovalSchema = z
  .object({
    by: z.string().describe("Name of the user or robot that approved the plan"),
    at: timestampSchema.describe("RFC 3339 time of the approval"),
    round: z
      .number()
      .optional()
      .describe("Number of the approved plan, for flows that are planned several times. Absent for the first plan"),
    comment: z.string().optional().describe("Comment of the approver"),
  })
  .meta({ id: "GivenApproval", description: "A person's approval of a plan" });
export type GivenApproval = Infer<typeof givenApprovalSchema>;

export const approveCommandRequestSchema = z
  .strictObject({
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be the digest of a plan")
      .describe("Digest of the plan that you looked at. The request fails if the current plan has another one"),
    comment,
  })
  .meta({ id: "ApproveCommandRequest", description: "Approves the plan of a command" });
export type ApproveCommandRequest = Infer<typeof approveCommandRequestSchema>;

export const approvePlanningRequestSchema = z
  .strictObject({ comment })
  .meta({ id: "ApprovePlanningRequest", description: "Approves that a held-back proposal is planned" });
export type ApprovePlanningRequest = Infer<typeof approvePlanningRequestSchema>;

export const rejectCommandRequestSchema = z
  .strictObject({ comment })
  .meta({ id: "RejectCommandRequest", description: "Rejects the plan of a command, which ends the command" });
export type RejectCommandRequest = Infer<typeof rejectCommandRequestSchema>;
