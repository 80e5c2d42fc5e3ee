import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";

/** The spec of the kind `manifests`: a set of objects that is applied as one, and known by its name from then on. */
export interface ManifestsSpec {
  /** The set's name in its namespace. */
  readonly set: string;
  /** For objects that name none; `default` unless told. */
  readonly namespace?: string | undefined;
  /** Documents of YAML, or JSON. */
  readonly manifests: string;
  /** Objects that the set had before and has no more are deleted. */
  readonly prune?: boolean | undefined;
  /** A set without objects is meant. */
  readonly allowEmpty?: boolean | undefined;
  /** Fields that others own are taken from them. */
  readonly force?: boolean | undefined;
  readonly createNamespace?: boolean | undefined;
  /** Until the objects are ready: 300 s unless told; false: not at all. */
  readonly wait?: { readonly timeoutSeconds?: number | undefined } | false | undefined;
}

const dnsLabelSchema: z.ZodType<string> = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

export const manifestsSpecSchema: z.ZodType<ManifestsSpec> = z
  .strictObject({
    set: dnsLabelSchema,
    namespace: dnsLabelSchema.optional(),
    manifests: z.string(),
    prune: z.boolean().optional(),
    allowEmpty: z.boolean().optional(),
    force: z.boolean().optional(),
    createNamespace: z.boolean().optional(),
    wait: z
      .union([z.strictObject({ timeoutSeconds: z.int().min(1).max(3_600).optional() }), z.literal(false)])
      .optional(),
  })
  .meta({ id: "ManifestsSpec" });
