import { z } from "zod";
import { approvalWishSchema, commandKindNames } from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

export const templateClustersSchema = z
  .union([
    z.strictObject({
      names: z.array(z.string().max(63)).min(1).max(1_000).describe("Names of the clusters, at most 1000"),
    }),
    z.strictObject({
      selector: z
        .string()
        .min(1)
        .max(4_096)
        .describe("Kubernetes label selector, evaluated at each use, such as `env=prod,tier!=edge`"),
    }),
    z.strictObject({ all: z.literal(true).describe("Every cluster, also those registered later") }),
  ])
  .meta({
    id: "TemplateClusters",
    description: "Clusters in which a template may be used: by name, by label, or all",
  });
export type TemplateClusters = Infer<typeof templateClustersSchema>;

const templateShape = {
  name: z.string().describe("DNS label of the template"),
  description: z.string().optional().describe("Purpose of the template, in the words of its author"),
  kind: z.enum(commandKindNames).describe("Kind of the commands that the template produces"),
  clusters: templateClustersSchema.describe("Clusters in which the template may be used"),
  revision: z
    .number()
    .describe("Number of this version of the template. It rises with each change, and no other template ever has it"),
  isVouched: z
    .boolean()
    .optional()
    .describe(
      "Whether proposals made from the template are planned without approval, because its author may create such commands and no parameter chooses code (default false)",
    ),
  changedBy: z.string().describe("Name of the user or robot that made the latest change"),
  changedAt: timestampSchema.describe("RFC 3339 time of the latest change"),
};

const templateSchema = z.object(templateShape).meta({
  id: "Template",
  description: "A prepared command. People who use it fill in only its parameters",
});
export type Template = Infer<typeof templateSchema>;

const values = z.record(z.string(), z.unknown());

export const templateDetailSchema = z
  .object({
    ...templateShape,
    parameters: values.describe("JSON Schema of the parameters, which is that of an object"),
    approvals: approvalWishSchema
      .optional()
      .describe(
        "Approvals that each command needs before it is applied. Absent: those that the user of the template requests",
      ),
    deadlineSeconds: z
      .number()
      .optional()
      .describe(
        "Time in which an agent must claim the command, in seconds, before it expires. Absent: what the user of the template requests",
      ),
    serviceAccount: z
      .string()
      .optional()
      .describe("ServiceAccount to run as, as `NAMESPACE/NAME`. Absent: the agent's own"),
    spec: z
      .unknown()
      .optional()
      .describe(
        `Spec of the command, with \${param:NAME} in place of values. Absent for users without the right to \`get\` the template`,
      ),
  })
  .meta({ id: "TemplateDetail", description: "A template with its parameters and its spec" });
export type TemplateDetail = Infer<typeof templateDetailSchema>;

export const templateListSchema = z
  .object({ items: z.array(templateSchema).describe("Templates that the caller may read or use, by name") })
  .meta({ id: "TemplateList", description: "List of templates" });
export type TemplateList = Infer<typeof templateListSchema>;

export const renderedTemplateSchema = z
  .object({
    name: z.string().describe("DNS label of the template"),
    revision: z.number().describe("Revision of the template that was rendered"),
    kind: z.enum(commandKindNames).describe("Kind of the command"),
    target: z.string().describe("Target of the command, as `KIND/NAMESPACE/NAME`"),
    namespace: z.string().describe("Namespace in which the command acts"),
    parameters: values.describe("Values of the parameters, defaults filled in"),
    spec: z
      .unknown()
      .optional()
      .describe("Spec of the command. Absent for users without the right to `get` the template"),
  })
  .meta({ id: "RenderedTemplate", description: "The command that a template produces for given parameters" });
export type RenderedTemplate = Infer<typeof renderedTemplateSchema>;
