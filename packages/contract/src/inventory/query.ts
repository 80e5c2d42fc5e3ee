import { z } from "zod";
import type { Infer } from "../infer.ts";
import { optionalTextSchema, timestampSchema } from "../primitives.ts";
import { type Health, healthNames } from "./object.ts";

const filters = {
  kind: optionalTextSchema(2_048).describe(
    "Only these kinds, separated by commas, in any spelling of kubectl: `pods`, `pod`, `po`, `Pod` or `deployments.apps`",
  ),
  cluster: optionalTextSchema(65_536).describe(
    "Only these clusters, separated by commas (default: all that the caller may see)",
  ),
  clusterSelector: optionalTextSchema(2_048).describe(
    "Only clusters with matching labels, in the syntax of Kubernetes label selectors",
  ),
  namespace: optionalTextSchema(16_384).describe(
    "Only these namespaces, separated by commas; doesn't exclude objects of kinds that have no namespace",
  ),
  name: optionalTextSchema(253).describe("Only objects of this name"),
  labelSelector: optionalTextSchema(4_096).describe(
    "Only objects with matching labels, in the syntax of Kubernetes label selectors",
  ),
  fieldSelector: optionalTextSchema(4_096).describe(
    "Only objects with matching fields, which can be any by their path: `metadata.name=web,spec.nodeName!=node-1`",
  ),
  search: optionalTextSchema(256).describe("Only objects with this text in name, namespace, labels or images"),
  owner: optionalTextSchema(128).describe("Only objects that the object with this UID owns"),
  health: optionalTextSchema(128)
    .refine(isHealthList, { message: `must be some of ${healthNames.join(", ")}` })
    .describe("Only objects of this health, such as `Degraded,Missing`, separated by commas"),
};

const page = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe("Maximum number of items on a page, at most 500 (default 100)"),
  cursor: optionalTextSchema(2_048).describe("`next` of the previous page"),
};

/** Objects have to match all of the filters. */
export const objectFilterSchema = z.strictObject(filters);
export type ObjectFilter = Infer<typeof objectFilterSchema>;

export type ObjectSort = "name" | "namespace" | "cluster" | "kind" | "age" | "changed" | "health";

export const objectQuerySchema = z.strictObject({
  ...filters,
  ...page,
  sort: z
    .string()
    .regex(/^-?(name|namespace|cluster|kind|age|changed|health)$/, "isn't something to sort by")
    .optional()
    .describe(
      "Order: `name`, `namespace`, `cluster`, `kind`, `age`, `changed` or `health`, descending with a leading `-` (default: namespace, then name)",
    ),
  include: z.literal("object").optional().describe("`object` adds the whole object to each item"),
});
export type ObjectQuery = Infer<typeof objectQuerySchema>;

export const changeQuerySchema = z.strictObject({
  ...filters,
  ...page,
  since: timestampSchema
    .optional()
    .describe("Only changes from this RFC 3339 time on (default: one hour ago); deleted objects are kept for a day"),
  until: timestampSchema.optional().describe("Only changes before this RFC 3339 time (default: no limit)"),
  status: z
    .union([z.boolean(), z.stringbool()])
    .optional()
    .describe("Include changes of the status alone (default false)"),
});
export type ChangeQuery = Infer<typeof changeQuerySchema>;

export const rollupQuerySchema = z.strictObject({
  ...filters,
  by: z
    .string()
    .regex(/^(kind|cluster|namespace)(,(kind|cluster|namespace)){0,2}$/, "must be some of kind, cluster, namespace")
    .optional()
    .describe("What to count by: `kind`, `cluster` and `namespace`, separated by commas (default `kind`)"),
});
export type RollupQuery = Infer<typeof rollupQuerySchema>;

function isHealthList(value: string | undefined): boolean {
  return value === undefined || value.split(",").every((name) => healthNames.includes(name as Health));
}
