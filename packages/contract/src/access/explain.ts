import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, timestampSchema } from "../primitives.ts";
import { namespaceSchema, subjectNameSchema, verbSchema } from "./names.ts";

const requestedResourceSchema = z
  .string()
  .max(253)
  .regex(/^[a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)?$/, { message: "is not a resource" })
  .describe(
    "Resource, for example `pods`, `deployments.apps` or `pods/exec`; without a cluster one of the hub's own, such as `clusters`",
  );
const oneVerbSchema = verbSchema
  .refine((verb) => verb !== "*", { message: "is not one verb" })
  .describe("Verb of the request, for example `get` or `create`; `*` is not permitted");

export const explainRequestSchema = z
  .strictObject({
    subject: z
      .strictObject({
        kind: z.enum(["user", "robot", "admin-token"]).describe("Kind of the subject"),
        name: subjectNameSchema.describe("Name of the subject; of a robot its own name (`ci`, not `robot:ci`)"),
        groups: z
          .array(subjectNameSchema)
          .max(1000)
          .optional()
          .describe("Groups of the user (default: those of the user's latest sign-in)"),
      })
      .describe("Subject that would send the request"),
    verb: oneVerbSchema,
    resource: requestedResourceSchema,
    cluster: clusterNameSchema
      .optional()
      .describe("Cluster that the request is about. Absent for a request about the hub alone"),
    namespace: namespaceSchema
      .optional()
      .describe("Namespace of the request. Absent for all namespaces, or for a resource that has none"),
    name: z.string().min(1).max(253).optional().describe("Name of a single object. Absent for any object"),
  })
  .meta({ id: "ExplainRequest", description: "A question: may this subject send this request, and why?" });
export type ExplainRequest = Infer<typeof explainRequestSchema>;

const consideredBindingSchema = z
  .object({
    binding: z.string().describe("ID of the binding"),
    role: z.string().describe("Name of the role that the binding gives"),
    matched: z.boolean().describe("Whether the binding permits the request"),
    endsAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the binding ends by itself. Absent: it doesn't"),
    why: z.string().describe("Why the binding permits the request, or why it doesn't, in a sentence"),
  })
  .meta({
    id: "ConsideredBinding",
    description: "A binding of the subject, and why it permits the request or doesn't",
  });
export type ConsideredBinding = Infer<typeof consideredBindingSchema>;

export const explanationSchema = z
  .object({
    allowed: z.boolean().describe("Whether the hub permits the request. The cluster's own RBAC decides after the hub"),
    reason: z.string().describe("Reason for the decision, in a sentence"),
    identity: z
      .object({
        user: z.string().describe("User name that the cluster sees"),
        groups: z.array(z.string()).describe("Groups that the cluster sees"),
      })
      .optional()
      .describe(
        "Identity that the cluster sees, to which its own RBAC applies. Absent when the hub denies the request or answers it itself",
      ),
    considered: z.array(consideredBindingSchema).describe("Every binding of the subject"),
  })
  .meta({ id: "Explanation", description: "The hub's decision about a request, with the bindings that led to it" });
export type Explanation = Infer<typeof explanationSchema>;

export const whoCanRequestSchema = z
  .strictObject({
    verb: oneVerbSchema,
    resource: requestedResourceSchema,
    cluster: clusterNameSchema
      .optional()
      .describe("Cluster that the request is about. Absent for a request about the hub alone"),
    namespace: namespaceSchema
      .optional()
      .describe("Namespace of the request. Absent for all namespaces, or for a resource that has none"),
  })
  .meta({ id: "WhoCanRequest", description: "A question: which subjects may send this request?" });
export type WhoCanRequest = Infer<typeof whoCanRequestSchema>;

export const whoCanAnswerSchema = z
  .object({
    items: z
      .array(
        z.object({
          subject: z
            .object({
              kind: z.enum(["user", "group", "robot", "admin-token"]).describe("Kind of the subject"),
              name: z.string().describe("Name of the subject; of a robot its own name (`ci`, not `robot:ci`)"),
            })
            .describe("Subject that may send the request"),
          role: z.string().describe("Name of the role that permits the request"),
          binding: z.string().describe("ID of the binding that gives the subject this role"),
          endsAt: timestampSchema
            .optional()
            .describe("RFC 3339 time at which the binding ends by itself. Absent: it doesn't"),
        }),
      )
      .describe("One item for each binding that permits the request"),
  })
  .meta({ id: "WhoCanAnswer", description: "Subjects that may send a request" });
export type WhoCanAnswer = Infer<typeof whoCanAnswerSchema>;
