import { z } from "zod";
import { approvalWishSchema, commandKindNames, commandLimits, serviceAccountSchema } from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, optionalTextSchema } from "../primitives.ts";
import { templateClustersSchema } from "./template.ts";

const map = z.record(z.string(), z.unknown());

export const putTemplateRequestSchema = z
  .strictObject({
    description: optionalTextSchema(2_000).describe("Purpose of the template, for its users"),
    kind: z.enum(commandKindNames).describe("Kind of the commands that the template produces"),
    clusters: templateClustersSchema.describe("Clusters in which the template may be used"),
    parameters: map
      .optional()
      .describe("JSON Schema of the parameters, which must be that of an object (default: no parameters)"),
    spec: map.describe(`Spec of the kind, with \${param:NAME} in place of values`),
    approvals: approvalWishSchema
      .optional()
      .describe(
        "Approvals that each command needs before it is applied (default: those that the user of the template requests)",
      ),
    deadlineSeconds: z
      .int()
      .min(1)
      .max(commandLimits.maxDeadlineSeconds)
      .optional()
      .describe(
        "Time in which an agent must claim the command, in seconds, before it expires (default: what the user of the template requests)",
      ),
    serviceAccount: serviceAccountSchema
      .optional()
      .describe("ServiceAccount to run as, as `NAMESPACE/NAME` (default: the agent's own)"),
    revision: z
      .int()
      .min(0)
      .optional()
      .describe(
        "Revision that the change is based on; 0 to create a template. The request fails if the current revision is another one (default: no check)",
      ),
  })
  .meta({ id: "PutTemplateRequest", description: "A template to create or to replace" });
export type PutTemplateRequest = Infer<typeof putTemplateRequestSchema>;

export const renderTemplateRequestSchema = z
  .strictObject({
    revision: z
      .int()
      .min(1)
      .optional()
      .describe("Revision to render. The request fails if the current revision is another one (default: no check)"),
    parameters: map.optional().describe("Values of the parameters, by name (default: none)"),
  })
  .meta({ id: "RenderTemplateRequest", description: "Parameters to render a template with" });
export type RenderTemplateRequest = Infer<typeof renderTemplateRequestSchema>;

export const templateNameSchema = clusterNameSchema;
