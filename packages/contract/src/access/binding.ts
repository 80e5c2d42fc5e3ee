import { z } from "zod";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, labelsSchema, timestampSchema } from "../primitives.ts";
import { plainNameSchema, reasonSchema, subjectNameSchema } from "./names.ts";

const bindingSubjectSchema = z
  .strictObject({
    kind: z
      .enum(["user", "group", "robot", "admin-token"])
      .describe("Kind of the subject. `admin-token` is the token of the first start, whose name is `admin`"),
    name: subjectNameSchema.describe(
      "Name of the user or group as the identity provider spells it; of a robot its own name (`ci`, not `robot:ci`)",
    ),
  })
  .meta({ id: "BindingSubject", description: "The user, group, robot or admin token that gets a role" });
export type BindingSubject = Infer<typeof bindingSubjectSchema>;

export const clusterChoiceSchema = z
  .union([
    z.strictObject({
      names: z
        .array(clusterNameSchema)
        .min(1)
        .max(1000)
        .describe("Names of the clusters. A cluster doesn't have to exist yet"),
    }),
    z.strictObject({
      selector: z
        .strictObject({
          matchLabels: labelsSchema
            .refine((labels) => Object.keys(labels).length > 0, { message: "names no label" })
            .describe("Labels that a cluster must have, all of them"),
        })
        .describe("Selects clusters by the labels that they have at the time of each request"),
    }),
    z.strictObject({ all: z.literal(true).describe("Every cluster, also those registered later") }),
  ])
  .meta({ id: "ClusterChoice", description: "Clusters that a binding is for: by name, by label, or all" });
export type ClusterChoice = Infer<typeof clusterChoiceSchema>;

const shape = {
  subject: bindingSubjectSchema.describe("Subject that gets the role"),
  role: plainNameSchema.describe("Name of the role"),
  clusters: clusterChoiceSchema.describe("Clusters in which the subject has the role"),
  record: z
    .boolean()
    .optional()
    .describe("Record `exec` and `attach` sessions that this binding permits (default false)"),
};

/** Bounds of the time that a binding lasts, in milliseconds. */
export const bindingTtlLimits: { readonly minMs: number; readonly maxMs: number } = {
  minMs: 1_000,
  maxMs: 366 * 24 * 3_600_000,
};

const savedShape = {
  id: z.string().describe("ID of the binding"),
  ...shape,
  endsAt: timestampSchema
    .optional()
    .describe("RFC 3339 time at which the binding ends by itself. Absent: it stays until somebody removes it"),
  reason: z.string().optional().describe("Reason for the binding, in the words of its creator or of the requester"),
  request: z.string().optional().describe("ID of the access request that the binding grants. Absent for any other"),
  createdAt: timestampSchema.describe("RFC 3339 time at which the binding was created"),
  createdBy: z.string().describe("Name of the subject that created the binding"),
};

export const createBindingRequestSchema = z
  .strictObject({
    ...shape,
    ttlMs: z
      .number()
      .int()
      .min(bindingTtlLimits.minMs)
      .max(bindingTtlLimits.maxMs)
      .optional()
      .describe("Time after which the binding ends by itself, in milliseconds (default: it doesn't end)"),
    reason: reasonSchema.optional().describe("Reason for the binding, for people"),
  })
  .meta({ id: "CreateBindingRequest", description: "A binding to create: gives a subject a role in clusters" });
export type CreateBindingRequest = Infer<typeof createBindingRequestSchema>;

export const accessBindingSchema = z
  .object(savedShape)
  .meta({ id: "AccessBinding", description: "A role that a subject has in clusters" });
export type AccessBinding = Infer<typeof accessBindingSchema>;

export const createdBindingSchema = z
  .object({
    ...savedShape,
    warnings: z
      .array(z.string())
      .optional()
      .describe("Possible mistakes, such as a user who never signed in or a cluster that doesn't exist (yet)"),
  })
  .meta({ id: "CreatedBinding", description: "The new binding, with warnings about possible mistakes" });
export type CreatedBinding = Infer<typeof createdBindingSchema>;

export const accessBindingListSchema = z
  .object({ items: z.array(accessBindingSchema).describe("All bindings") })
  .meta({ id: "AccessBindingList", description: "List of bindings" });
export type AccessBindingList = Infer<typeof accessBindingListSchema>;
