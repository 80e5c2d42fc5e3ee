// The objects of Argo CD that managed clusters share, where the hub keeps them itself.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { argoObjectKinds } from "../limits.ts";
import { optionalTextSchema } from "../primitives.ts";

export { argoObjectKinds };

export const argoObjectKindSchema = z.enum(argoObjectKinds);
export type ArgoObjectKind = Infer<typeof argoObjectKindSchema>;

const texts = z.record(z.string().min(1).max(320), z.string().max(1024 * 1024));
const anyObject = z.record(z.string(), z.unknown());
const summary = {
  kind: argoObjectKindSchema.describe("Kind of the object"),
  name: z.string().describe("Name of the object"),
  project: z.string().describe("Project that a repository belongs to; empty for other kinds"),
  isDeleting: z.boolean().describe("Whether the object is being deleted and waits for its finalizers"),
};

const summarySchema = z
  .object(summary)
  .meta({ id: "ArgoObjectSummary", description: "An object of Argo CD that managed clusters share, in short" });
export type ArgoObjectSummary = Infer<typeof summarySchema>;

export const argoObjectListSchema = z
  .object({
    items: z.array(summarySchema).describe("Objects, by name"),
    next: z.string().optional().describe("Cursor of the next page; absent on the last page"),
  })
  .meta({ id: "ArgoObjectList", description: "A page of objects of Argo CD that managed clusters share" });
export type ArgoObjectList = Infer<typeof argoObjectListSchema>;

export const argoObjectSchema = z
  .object({
    ...summary,
    resourceVersion: z.string().describe("Version of the object, for writes that must not overwrite a newer one"),
    labels: texts.describe("Labels of the object"),
    annotations: texts.describe("Annotations of the object"),
    spec: anyObject.describe("Spec of a project; empty for other kinds"),
    data: texts.describe("Keys, known hosts or certificates as plain text; empty for projects and repositories"),
    valueNames: z
      .array(z.string())
      .describe("Names of a repository's values, which themselves aren't shown; empty for other kinds"),
  })
  .meta({ id: "ArgoObject", description: "An object of Argo CD that managed clusters share" });
export type ArgoObject = Infer<typeof argoObjectSchema>;

export const argoObjectListQuerySchema = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Maximum number of objects on a page, at most 500 (default 100)"),
  cursor: optionalTextSchema(253).describe("`next` of the previous page"),
});
export type ArgoObjectListQuery = Infer<typeof argoObjectListQuerySchema>;

export const putArgoObjectRequestSchema = z
  .strictObject({
    spec: anyObject.optional().describe("Spec of a project; not for other kinds"),
    data: texts.optional().describe("Data of other kinds than projects, as plain text"),
    labels: texts.optional().describe("Labels of the object (default: unchanged)"),
    annotations: texts.optional().describe("Annotations of the object (default: unchanged)"),
    resourceVersion: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("Version to replace; the request fails if the object has another one (default: any version)"),
  })
  .meta({
    id: "PutArgoObjectRequest",
    description: "Creates or replaces an object of Argo CD that managed clusters share",
  });
export type PutArgoObjectRequest = Infer<typeof putArgoObjectRequestSchema>;
