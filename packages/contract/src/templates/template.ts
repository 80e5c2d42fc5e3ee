import { z } from "zod";
import { type ApprovalWish, approvalWishSchema, type CommandKindName, commandKindNames } from "../commands/index.ts";
import { timestampSchema } from "../primitives.ts";

/** In which clusters a template may be used, by those who may use it. */
export type TemplateClusters =
  | { readonly names: readonly string[] }
  /** By their labels, as Kubernetes writes it, at the time of each use. */
  | { readonly selector: string }
  | { readonly all: true };

/** A command that somebody has written down for others, who fill in what they may decide. */
export interface Template {
  readonly name: string;
  readonly description?: string | undefined;
  /** The kind of the command that it makes. */
  readonly kind: CommandKindName;
  readonly clusters: TemplateClusters;
  /** Rises with each change. No other template ever has the same one. */
  readonly revision: number;
  /** Proposals made of it are planned without approval. Its author may create such commands; no parameter chooses code. */
  readonly isVouched?: boolean | undefined;
  readonly changedBy: string;
  readonly changedAt: string;
}

export interface TemplateDetail extends Template {
  /** JSON Schema of an object: what may be filled in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly approvals?: ApprovalWish | undefined;
  readonly deadlineSeconds?: number | undefined;
  readonly serviceAccount?: string | undefined;
  /** Only for those who may `get` the template: whoever may use it needn't know how it is done. */
  readonly spec?: unknown;
}

export interface TemplateList {
  readonly items: Template[];
}

/** The command that a template makes of values. */
export interface RenderedTemplate {
  readonly name: string;
  readonly revision: number;
  readonly kind: CommandKindName;
  readonly target: string;
  readonly namespace: string;
  /** With defaults filled in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Only for those who may `get` the template. */
  readonly spec?: unknown;
}

export const templateClustersSchema: z.ZodType<TemplateClusters> = z
  .union([
    z.strictObject({ names: z.array(z.string().max(63)).min(1).max(1_000) }),
    z.strictObject({ selector: z.string().min(1).max(4_096) }),
    z.strictObject({ all: z.literal(true) }),
  ])
  .meta({ id: "TemplateClusters" });

const templateShape = {
  name: z.string(),
  description: z.string().optional(),
  kind: z.enum(commandKindNames),
  clusters: templateClustersSchema,
  revision: z.number(),
  isVouched: z.boolean().optional(),
  changedBy: z.string(),
  changedAt: timestampSchema,
};

const templateSchema: z.ZodType<Template> = z.object(templateShape).meta({ id: "Template" });

const values: z.ZodType<Readonly<Record<string, unknown>>> = z.record(z.string(), z.unknown());

export const templateDetailSchema: z.ZodType<TemplateDetail> = z
  .object({
    ...templateShape,
    parameters: values,
    approvals: approvalWishSchema.optional(),
    deadlineSeconds: z.number().optional(),
    serviceAccount: z.string().optional(),
    spec: z.unknown().optional(),
  })
  .meta({ id: "TemplateDetail" });

export const templateListSchema: z.ZodType<TemplateList> = z
  .object({ items: z.array(templateSchema) })
  .meta({ id: "TemplateList" });

export const renderedTemplateSchema: z.ZodType<RenderedTemplate> = z
  .object({
    name: z.string(),
    revision: z.number(),
    kind: z.enum(commandKindNames),
    target: z.string(),
    namespace: z.string(),
    parameters: values,
    spec: z.unknown().optional(),
  })
  .meta({ id: "RenderedTemplate" });
