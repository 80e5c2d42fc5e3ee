import { z } from "zod";
import { type Labels, timestampSchema } from "../primitives.ts";
import { type DataAge, dataAgeSchema } from "./age.ts";

/** Argo CD's words. */
export type Health = "Healthy" | "Progressing" | "Degraded" | "Suspended" | "Missing" | "Unknown";

export const healthNames: readonly Health[] = ["Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"];

export const healthSchema: z.ZodType<Health> = z.enum([
  "Healthy",
  "Progressing",
  "Degraded",
  "Suspended",
  "Missing",
  "Unknown",
]);

/** A cell of a table, as in the API server's tables: a text is shown as it is, `null` as a blank. */
export type Cell = string | number | boolean | null;

/** A column as the API server's tables have it; the first is always the name. */
export interface TableColumn {
  readonly name: string;
  /** integer, number, string, boolean, date. A date's cells are RFC 3339; who shows them writes an age. */
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** 0: always shown; more: only when asked for wide tables. */
  readonly priority: number;
}

export interface ObjectRef {
  readonly cluster: string;
  /** `pods`, `deployments.apps`. */
  readonly kind: string;
  readonly apiVersion: string;
  /** `Pod`. */
  readonly kindName: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly health?: Health | undefined;
}

export interface ObjectItem extends ObjectRef {
  readonly labels: Labels;
  readonly createdAt: string;
  /** When the hub got its newest change. */
  readonly changedAt: string;
  readonly deletedAt?: string | undefined;
  readonly healthMessage?: string | undefined;
  /** There is a cell for each of the kind's columns in `ObjectList.tables`. */
  readonly cells: Cell[];
  /** It was too large: a part of it stayed in the cluster. */
  readonly isCut?: boolean | undefined;
  /** As it left the cluster; only when it was asked for. */
  readonly object?: Record<string, unknown> | undefined;
}

/** The columns of one kind, for the items of this kind and these clusters. */
export interface KindTable {
  readonly kind: string;
  readonly apiVersion: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly columns: TableColumn[];
  /**
   * Only where clusters have the kind with different columns: those that this table is for. A table without is for all
   * clusters that no other one names.
   */
  readonly clusters?: string[] | undefined;
}

export interface ObjectList {
  readonly items: ObjectItem[];
  /**
   * The tables of the items on this page, and of other kinds that were asked for as far as there is room. Where
   * clusters have a kind with different columns, there are several tables of it.
   */
  readonly tables: KindTable[];
  readonly clusters: DataAge[];
  /** For the next page; absent on the last. A page may be shorter than its limit and have one. */
  readonly next?: string | undefined;
}

export interface ObjectDetail {
  readonly item: ObjectItem;
  readonly table: KindTable;
  /** From its owner upwards. */
  readonly owners: ObjectRef[];
  readonly children: ObjectRef[];
  /** Newest first. */
  readonly events: ObjectItem[];
  readonly age: DataAge;
}

const refShape: { [K in keyof Required<ObjectRef>]: z.ZodType<ObjectRef[K]> } = {
  cluster: z.string(),
  kind: z.string(),
  apiVersion: z.string(),
  kindName: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string(),
  health: healthSchema.optional(),
};

export const objectRefSchema: z.ZodType<ObjectRef> = z.object(refShape).meta({ id: "ObjectRef" });

export const objectItemSchema: z.ZodType<ObjectItem> = z
  .object({
    ...refShape,
    labels: z.record(z.string(), z.string()),
    createdAt: timestampSchema,
    changedAt: timestampSchema,
    deletedAt: timestampSchema.optional(),
    healthMessage: z.string().optional(),
    cells: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])),
    isCut: z.boolean().optional(),
    object: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "ObjectItem" });

export const kindTableSchema: z.ZodType<KindTable> = z
  .object({
    kind: z.string(),
    apiVersion: z.string(),
    kindName: z.string(),
    namespaced: z.boolean(),
    columns: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        format: z.string().optional(),
        description: z.string().optional(),
        priority: z.int(),
      }),
    ),
    clusters: z.array(z.string()).optional(),
  })
  .meta({ id: "KindTable" });

export const objectListSchema: z.ZodType<ObjectList> = z
  .object({
    items: z.array(objectItemSchema),
    tables: z.array(kindTableSchema),
    clusters: z.array(dataAgeSchema),
    next: z.string().optional(),
  })
  .meta({ id: "ObjectList" });

export const objectDetailSchema: z.ZodType<ObjectDetail> = z
  .object({
    item: objectItemSchema,
    table: kindTableSchema,
    owners: z.array(objectRefSchema),
    children: z.array(objectRefSchema),
    events: z.array(objectItemSchema),
    age: dataAgeSchema,
  })
  .meta({ id: "ObjectDetail" });
