import { z } from "zod";
import { clusterNameSchema, idempotencyKeySchema } from "../primitives.ts";
import { type ApprovalWish, approvalWishSchema } from "./approval.ts";
import { commandLimits } from "./names.ts";
import { commandSpecs, type KindAndSpec } from "./specs.ts";
import { type TemplateUse, templateUseSpecSchema } from "./template-use.ts";

/** How long and how urgently it is wanted. */
interface CommandWishes {
  /** It expires unless an agent has claimed it by then; a day unless told. */
  readonly deadlineSeconds?: number | undefined;
  /** 0 to 9; 5 unless told. Those of a higher one go first, and all of them rise while they wait. */
  readonly priority?: number | undefined;
  /** Asked again under the same key by the same caller, it is the same command. */
  readonly idempotencyKey?: string | undefined;
}

export interface CreateCommandFields extends CommandWishes {
  readonly cluster: string;
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** It is planned first, and carried out when people have approved the plan. Not for a dry run. */
  readonly approvals?: ApprovalWish | undefined;
  /** `NAMESPACE/NAME` of the cluster: it runs with that one's rights; with the agent's unless told. Not with a template. */
  readonly serviceAccount?: string | undefined;
}

export type CreateCommandRequest = CreateCommandFields & (KindAndSpec | TemplateUse);

export interface RetryCommandRequest extends CommandWishes {}

const wishes = {
  deadlineSeconds: z.int().min(1).max(commandLimits.maxDeadlineSeconds).optional(),
  priority: z.int().min(0).max(commandLimits.maxPriority).optional(),
  idempotencyKey: idempotencyKeySchema.optional(),
};

export const serviceAccountSchema: z.ZodType<string> = z
  .string()
  .max(317)
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/, "must be NAMESPACE/NAME");

const fieldsOfAll = {
  cluster: clusterNameSchema,
  dryRun: z.boolean().optional(),
  approvals: approvalWishSchema.optional(),
  ...wishes,
};

const createFields = { ...fieldsOfAll, serviceAccount: serviceAccountSchema.optional() };

export function hasSomethingToApprove({
  dryRun,
  approvals,
}: Pick<CreateCommandRequest, "dryRun" | "approvals">): boolean {
  return !dryRun || approvals === undefined;
}

export const nothingToApprove: { readonly path: string[]; readonly message: string } = {
  path: ["approvals"],
  message: "a dry run does nothing that could be approved",
};

export const createCommandRequestSchema: z.ZodType<CreateCommandRequest> = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("manifests"), spec: commandSpecs.manifests.schema, ...createFields }),
    z.strictObject({ kind: z.literal("helm"), spec: commandSpecs.helm.schema, ...createFields }),
    z.strictObject({ kind: z.literal("flow"), spec: commandSpecs.flow.schema, ...createFields }),
    z.strictObject({ kind: z.literal("tofu"), spec: commandSpecs.tofu.schema, ...createFields }),
    z.strictObject({ kind: z.literal("template"), spec: templateUseSpecSchema, ...fieldsOfAll }),
  ])
  .refine(hasSomethingToApprove, nothingToApprove)
  .meta({ id: "CreateCommandRequest" });

export const retryCommandRequestSchema: z.ZodType<RetryCommandRequest> = z
  .strictObject(wishes)
  .meta({ id: "RetryCommandRequest" });
