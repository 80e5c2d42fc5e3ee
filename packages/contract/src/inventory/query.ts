import { z } from "zod";
import { optionalTextSchema, timestampSchema } from "../primitives.ts";
import { type Health, healthNames } from "./object.ts";

/** Which objects are wanted; all conditions together. Lists are separated by commas. */
export interface ObjectFilter {
  /** Kinds: `pods`, `pod`, `po`, `Pod`, `deployments.apps`. */
  readonly kind?: string | undefined;
  /** Names of clusters; without this and `clusterSelector` all that the caller may see. */
  readonly cluster?: string | undefined;
  /** Over the labels of clusters, in Kubernetes' syntax. */
  readonly clusterSelector?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** `metadata.name=web,spec.nodeName!=node-1`: any field of the object by its path. */
  readonly fieldSelector?: string | undefined;
  /** Text in the name, the namespace, labels or images. */
  readonly search?: string | undefined;
  /** UID of an owner. */
  readonly owner?: string | undefined;
  readonly health?: string | undefined;
}

export type ObjectSort = "name" | "namespace" | "cluster" | "kind" | "age" | "changed" | "health";

export interface ObjectQuery extends ObjectFilter {
  /** Ascending; with a `-` before it descending. `name` (after namespace) unless told. */
  readonly sort?: string | undefined;
  /** At most 500; 100 unless told. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
  /** `object`: each item with its whole object. */
  readonly include?: "object" | undefined;
}

export interface ChangeQuery extends ObjectFilter {
  /** From then on; an hour ago unless told. Deleted objects are known for a day. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `true`: changes of the status alone as well. */
  readonly status?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface RollupQuery extends ObjectFilter {
  /** Counts by kind, cluster or namespace; by kind unless told. */
  readonly by?: string | undefined;
}

const filters: { [K in keyof Required<ObjectFilter>]: z.ZodType<ObjectFilter[K]> } = {
  kind: optionalTextSchema(2_048),
  cluster: optionalTextSchema(65_536),
  clusterSelector: optionalTextSchema(2_048),
  namespace: optionalTextSchema(16_384),
  name: optionalTextSchema(253),
  labelSelector: optionalTextSchema(4_096),
  fieldSelector: optionalTextSchema(4_096),
  search: optionalTextSchema(256),
  owner: optionalTextSchema(128),
  health: optionalTextSchema(128).refine(isHealthList, { message: `must be some of ${healthNames.join(", ")}` }),
};

const page: { limit: z.ZodType<number | undefined>; cursor: z.ZodType<string | undefined> } = {
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: optionalTextSchema(2_048),
};

export const objectFilterSchema: z.ZodType<ObjectFilter> = z.strictObject(filters);

export const objectQuerySchema: z.ZodType<ObjectQuery> = z.strictObject({
  ...filters,
  ...page,
  sort: z
    .string()
    .regex(/^-?(name|namespace|cluster|kind|age|changed|health)$/, "isn't something to sort by")
    .optional(),
  include: z.literal("object").optional(),
});

export const changeQuerySchema: z.ZodType<ChangeQuery> = z.strictObject({
  ...filters,
  ...page,
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  status: z.union([z.boolean(), z.stringbool()]).optional(),
});

export const rollupQuerySchema: z.ZodType<RollupQuery> = z.strictObject({
  ...filters,
  by: z
    .string()
    .regex(/^(kind|cluster|namespace)(,(kind|cluster|namespace)){0,2}$/, "must be some of kind, cluster, namespace")
    .optional(),
});

function isHealthList(value: string | undefined): boolean {
  return value === undefined || value.split(",").every((name) => healthNames.includes(name as Health));
}
