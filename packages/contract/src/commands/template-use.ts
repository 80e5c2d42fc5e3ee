import { z } from "zod";
import { clusterNameSchema } from "../primitives.ts";

/** Instead of a kind and its spec: a template of the hub says both, and whoever asks fills in its parameters. */
export interface TemplateUse {
  readonly kind: "template";
  readonly spec: {
    readonly name: string;
    /** It is used only if it is this one still. */
    readonly revision?: number | undefined;
    /** Values by the names that the template gives them. */
    readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  };
}

/** The template that a command or a rollout was made of. */
export interface TemplateOrigin {
  readonly name: string;
  readonly revision: number;
}

export const templateUseSpecSchema: z.ZodType<TemplateUse["spec"]> = z
  .strictObject({
    name: clusterNameSchema,
    revision: z.int().min(1).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "TemplateUse" });

export const templateOriginSchema: z.ZodType<TemplateOrigin> = z
  .object({ name: z.string(), revision: z.number() })
  .meta({ id: "TemplateOrigin" });
