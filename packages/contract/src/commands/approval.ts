import { z } from "zod";
import { timestampSchema } from "../primitives.ts";
import { commandLimits } from "./names.ts";

/** The agent says what would be done, and does it once people have approved that. */
export interface ApprovalWish {
  /** So many people; one unless told. */
  readonly required?: number | undefined;
  /** The person who asked for the command can't approve it; true unless told. */
  readonly fourEyes?: boolean | undefined;
  /** How long the plan may wait for them; a day unless told. */
  readonly seconds?: number | undefined;
}

/** How far the approval of a command has come. */
export interface CommandApproval {
  readonly required: number;
  readonly given: number;
  readonly fourEyes: boolean;
  /** The digest of the plan that is shown; undefined: there is none yet. */
  readonly digest?: string | undefined;
  /** The number of the plan, from the second one on; see `GivenApproval`. */
  readonly round?: number | undefined;
  /** Until then the plan may be approved. */
  readonly until?: string | undefined;
  /** There is no plan yet: what waits for approval is that it is planned at all. */
  readonly isToPlan?: boolean | undefined;
}

/** Somebody's approval of a plan. */
export interface GivenApproval {
  readonly by: string;
  readonly at: string;
  /** A flow may have several plans, one after the other. From the second one on: which of them. */
  readonly round?: number | undefined;
  readonly comment?: string | undefined;
}

export interface ApproveCommandRequest {
  /** The digest of the plan that was looked at. */
  readonly digest: string;
  readonly comment?: string | undefined;
}

export interface ApprovePlanningRequest {
  readonly comment?: string | undefined;
}

export interface RejectCommandRequest {
  readonly comment?: string | undefined;
}

const comment = z.string().min(1).max(commandLimits.commentLength).optional();

export const approvalWishSchema: z.ZodType<ApprovalWish> = z
  .strictObject({
    required: z.int().min(1).max(commandLimits.maxApprovals).optional(),
    fourEyes: z.boolean().optional(),
    seconds: z.int().min(1).max(commandLimits.maxApprovalSeconds).optional(),
  })
  .meta({ id: "ApprovalWish" });

export const commandApprovalSchema: z.ZodType<CommandApproval> = z
  .object({
    required: z.number(),
    given: z.number(),
    fourEyes: z.boolean(),
    digest: z.string().optional(),
    round: z.number().optional(),
    until: timestampSchema.optional(),
    isToPlan: z.boolean().optional(),
  })
  .meta({ id: "CommandApproval" });

export const givenApprovalSchema: z.ZodType<GivenApproval> = z
  .object({ by: z.string(), at: timestampSchema, round: z.number().optional(), comment: z.string().optional() })
  .meta({ id: "GivenApproval" });

export const approveCommandRequestSchema: z.ZodType<ApproveCommandRequest> = z
  .strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/, "must be the digest of a plan"), comment })
  .meta({ id: "ApproveCommandRequest" });

export const approvePlanningRequestSchema: z.ZodType<ApprovePlanningRequest> = z
  .strictObject({ comment })
  .meta({ id: "ApprovePlanningRequest" });

export const rejectCommandRequestSchema: z.ZodType<RejectCommandRequest> = z
  .strictObject({ comment })
  .meta({ id: "RejectCommandRequest" });
