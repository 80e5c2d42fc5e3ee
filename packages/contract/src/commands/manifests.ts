import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { Infer } from "../infer.ts";

const dnsLabelSchema = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

export const manifestsSpecSchema = z
  .strictObject({
    set: dnsLabelSchema.describe("DNS label of the set of objects, which identifies it in its namespace"),
    namespace: dnsLabelSchema
      .optional()
      .describe("Namespace of the set, and of objects that name none (default `default`)"),
    manifests: z.string().describe("Objects as YAML documents or JSON, at most 3 MiB and 5000 objects"),
    prune: z.boolean().optional().describe("Delete objects that the set had before and no longer has (default false)"),
    allowEmpty: z
      .boolean()
      .optional()
      .describe("Accept a set without objects, which is otherwise an error (default false)"),
    force: z
      .boolean()
      .optional()
      .describe("Take over fields that other field managers own, and objects of other sets (default false)"),
    createNamespace: z.boolean().optional().describe("Create the namespace if it doesn't exist (default false)"),
    wait: z
      .union([
        z.strictObject({
          timeoutSeconds: z
            .int()
            .min(1)
            .max(3_600)
            .optional()
            .describe("Timeout in seconds for all objects together (default 300)"),
        }),
        z.literal(false),
      ])
      .optional()
      .describe("Wait until the objects are ready (default: 300 s); `false` doesn't wait"),
  })
  .meta({
    id: "ManifestsSpec",
    description: "Spec of a command of kind `manifests`: a set of objects that is applied as one and keeps its name",
  });
export type ManifestsSpec = Infer<typeof manifestsSpecSchema>;
