import { z } from "zod";

export const waitSpecSchema = z
  .strictObject({
    apiVersion: z.string().min(1).max(253).describe("API version of the objects, such as `apps/v1`"),
    kind: z.string().min(1).max(63).describe("Kind of the objects. It doesn't have to exist yet"),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe("Namespace of the objects (default: that of the flow, or `default`)"),
    name: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name of a single object. Either `name` or `selector` is required"),
    selector: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("Label selector. At least one object must match, and all that match are awaited"),
    until: z
      .union([
        z.enum(["ready", "deleted"]),
        z.strictObject({
          condition: z.string().min(1).max(316).describe("Type of the condition"),
          status: z
            .enum(["True", "False", "Unknown"])
            .optional()
            .describe("Status that the condition must have (default `True`)"),
        }),
        z.strictObject({
          field: z
            .string()
            .min(1)
            .max(500)
            .describe("Path of the field, such as `status.phase`. Exactly one test of it is required"),
          equals: z
            .union([z.string().max(1_000), z.number(), z.boolean(), z.null()])
            .optional()
            .describe("Test: the field has this value; null also matches a missing field"),
          exists: z
            .boolean()
            .optional()
            .describe("Test: the field exists and isn't null (`true`), or doesn't or is (`false`)"),
          matches: z
            .string()
            .max(200)
            .optional()
            .describe("Test: the field is a text that matches this pattern, in which `*` is any run of characters"),
        }),
      ])
      .describe("State to wait for: `ready`, `deleted`, a condition, or the value of a field"),
    timeoutSeconds: z.number().min(1).max(86_400).optional().describe("Timeout in seconds (default 300)"),
    outputs: z
      .record(z.string().max(63), z.string().min(1).max(500))
      .optional()
      .describe(
        "Outputs of the step: names with the path of each in the object, such as `status.loadBalancer.ingress[0].ip` (default: none)",
      ),
  })
  .meta({ id: "WaitSpec", description: "Spec of a `wait` step of a flow, which ends when objects are as awaited" });
