import { z } from "zod";
import {
  type ApprovalWish,
  approvalWishSchema,
  type CommandKindName,
  commandKindNames,
  commandLimits,
  serviceAccountSchema,
  type TemplateUse,
} from "../commands/index.ts";
import { clusterNameSchema, optionalTextSchema } from "../primitives.ts";
import { type TemplateClusters, templateClustersSchema } from "./template.ts";

export interface PutTemplateRequest {
  readonly description?: string | undefined;
  readonly kind: CommandKindName;
  readonly clusters: TemplateClusters;
  /** JSON Schema of an object: what may be filled in. Without it nothing. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** As the kind has it, with `${param:NAME}` where values go. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Each command of it is planned first, and carried out when people have approved the plan. */
  readonly approvals?: ApprovalWish | undefined;
  readonly deadlineSeconds?: number | undefined;
  readonly serviceAccount?: string | undefined;
  /** The one that was changed: refused when there is another one by now. 0: there is none yet. */
  readonly revision?: number | undefined;
}

export interface RenderTemplateRequest extends Omit<TemplateUse["spec"], "name"> {}

const map = z.record(z.string(), z.unknown());

export const putTemplateRequestSchema: z.ZodType<PutTemplateRequest> = z
  .strictObject({
    description: optionalTextSchema(2_000),
    kind: z.enum(commandKindNames),
    clusters: templateClustersSchema,
    parameters: map.optional(),
    spec: map,
    approvals: approvalWishSchema.optional(),
    deadlineSeconds: z.int().min(1).max(commandLimits.maxDeadlineSeconds).optional(),
    serviceAccount: serviceAccountSchema.optional(),
    revision: z.int().min(0).optional(),
  })
  .meta({ id: "PutTemplateRequest" });

export const renderTemplateRequestSchema: z.ZodType<RenderTemplateRequest> = z
  .strictObject({ revision: z.int().min(1).optional(), parameters: map.optional() })
  .meta({ id: "RenderTemplateRequest" });

export const templateNameSchema: z.ZodType<string> = clusterNameSchema;
