import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema } from "../primitives.ts";

export const templateUseSpecSchema = z
  .strictObject({
    name: clusterNameSchema.describe("DNS label of the template"),
    revision: z
      .int()
      .min(1)
      .optional()
      .describe("Revision to use. The request fails if the current revision is another one (default: no check)"),
    parameters: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Values of the template's parameters, by name (default: none)"),
  })
  .meta({ id: "TemplateUse", description: "A template to make the command from, with values for its parameters" });

/** Instead of a kind and its spec: the template decides both. */
export interface TemplateUse {
  readonly kind: "template";
  readonly spec: Infer<typeof templateUseSpecSchema>;
}

export const templateOriginSchema = z
  .object({
    name: z.string().describe("DNS label of the template"),
    revision: z.number().describe("Revision of the template that was used"),
  })
  .meta({ id: "TemplateOrigin", description: "The template that a command or a rollout was made from" });
export type TemplateOrigin = Infer<typeof templateOriginSchema>;
