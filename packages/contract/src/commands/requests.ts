import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, idempotencyKeySchema } from "../primitives.ts";
import { approvalWishSchema } from "./approval.ts";
import { commandLimits } from "./names.ts";
import { commandSpecs, type KindAndSpec } from "./specs.ts";
import { type TemplateUse, templateUseSpecSchema } from "./template-use.ts";

const wishes = {
  deadlineSeconds: z
    .int()
    .min(1)
    .max(commandLimits.maxDeadlineSeconds)
    .optional()
    .describe("Time in which an agent must claim the command, in seconds, before it expires (default 86400)"),
  priority: z
    .int()
    .min(0)
    .max(commandLimits.maxPriority)
    .optional()
    .describe("Priority, 0 to 9. Commands of a higher priority run first, and it rises while they wait (default 5)"),
  idempotencyKey: idempotencyKeySchema
    .optional()
    .describe("Idempotency key: repeating a request with the same key returns the same command (default: none)"),
};

export const serviceAccountSchema = z
  .string()
  .max(317)
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/, "must be NAMESPACE/NAME");

const fieldsOfAll = {
  cluster: clusterNameSchema.describe("Cluster in which the command runs"),
  dryRun: z.boolean().optional().describe("Report what the command would change, and change nothing (default false)"),
  approvals: approvalWishSchema
    .optional()
    .describe("Approvals that the command needs before it is applied. Not with `dryRun` (default: no approval)"),
  ...wishes,
};

const createFields = {
  ...fieldsOfAll,
  serviceAccount: serviceAccountSchema
    .optional()
    .describe("ServiceAccount to run as, as `NAMESPACE/NAME` (default: the agent's own)"),
};
export type CreateCommandFields = Infer<z.ZodObject<typeof createFields>>;

/** The schema has no ServiceAccount for templates; this type lets code ask every request for one. */
export type CreateCommandRequest = CreateCommandFields & (KindAndSpec | TemplateUse);

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

export const createCommandRequestSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("manifests").describe("Kind of the command"),
      spec: commandSpecs.manifests.schema.describe("Spec of the command"),
      ...createFields,
    }),
    z.strictObject({
      kind: z.literal("helm").describe("Kind of the command"),
      spec: commandSpecs.helm.schema.describe("Spec of the command"),
      ...createFields,
    }),
    z.strictObject({
      kind: z.literal("flow").describe("Kind of the command"),
      spec: commandSpecs.flow.schema.describe("Spec of the command"),
      ...createFields,
    }),
    z.strictObject({
      kind: z.literal("tofu").describe("Kind of the command"),
      spec: commandSpecs.tofu.schema.describe("Spec of the command"),
      ...createFields,
    }),
    z.strictObject({
      kind: z.literal("template").describe("Makes the command from a template, which decides its kind and spec"),
      spec: templateUseSpecSchema.describe("Template, with values for its parameters"),
      ...fieldsOfAll,
    }),
  ])
  .refine(hasSomethingToApprove, nothingToApprove)
  .meta({ id: "CreateCommandRequest", description: "A command to create: a kind with its spec, or a template" });

export const retryCommandRequestSchema = z
  .strictObject(wishes)
  .meta({ id: "RetryCommandRequest", description: "How to repeat a command that didn't succeed" });
export type RetryCommandRequest = Infer<typeof retryCommandRequestSchema>;
