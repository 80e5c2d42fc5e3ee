import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { dataAgeSchema } from "./age.ts";

/** Argo CD's words. */
export const healthSchema = z.enum(["Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"]);
export type Health = Infer<typeof healthSchema>;

export const healthNames: readonly Health[] = healthSchema.options;

/** As in the API server's tables: a text is shown as it is, `null` as a blank. */
const cellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type Cell = Infer<typeof cellSchema>;

const columnSchema = z.object({
  name: z.string().describe("Heading of the column; that of the first is always the object's name"),
  type: z
    .string()
    .describe(
      "`integer`, `number`, `string`, `boolean` or `date`; cells of a date are RFC 3339 times to show as an age",
    ),
  format: z.string().optional().describe("Format of the cells, as the API server's tables have it"),
  description: z.string().optional().describe("Meaning of the column, for people"),
  priority: z.int().describe("0 for columns that are always shown, more for those of wide tables only"),
});
export type TableColumn = Infer<typeof columnSchema>;

const kind = z.string().describe("Kind as plural and API group, such as `pods` or `deployments.apps`");
const apiVersion = z.string().describe("API group and version, such as `v1` or `apps/v1`");
const kindName = z.string().describe("Kind as manifests spell it, such as `Pod`");

const refShape = {
  cluster: z.string().describe("Name of the object's cluster"),
  kind,
  apiVersion,
  kindName,
  namespace: z.string().optional().describe("Namespace of the object; absent for kinds that have none"),
  name: z.string().describe("Name of the object"),
  uid: z.string().describe("UID of the object"),
  health: healthSchema
    .optional()
    .describe("Health of the object, in Argo CD's words; absent for kinds that have none, such as ConfigMaps"),
};

export const objectRefSchema = z
  .object(refShape)
  .meta({ id: "ObjectRef", description: "An object of a cluster by its names" });
export type ObjectRef = Infer<typeof objectRefSchema>;

export const objectItemSchema = z
  .object({
    ...refShape,
    labels: z.record(z.string(), z.string()).describe("Labels of the object"),
    createdAt: timestampSchema.describe("RFC 3339 time of the object's creation"),
    changedAt: timestampSchema.describe(
      "RFC 3339 time at which the hub received the object's newest change; of a Kubernetes event, when it happened last",
    ),
    deletedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the hub learned that the object no longer exists; absent while it does"),
    healthMessage: z.string().optional().describe("Why the object has this health; absent where there is no reason"),
    cells: z.array(cellSchema).describe("Cells of the object's row, one for each column of its kind's table"),
    isCut: z
      .boolean()
      .optional()
      .describe("Whether the object was too large and a part of it isn't on the hub (default false)"),
    object: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The whole object as it left the cluster; only on request"),
  })
  .meta({ id: "ObjectItem", description: "An object of a cluster as a row of its kind's table" });
export type ObjectItem = Infer<typeof objectItemSchema>;

export const kindTableSchema = z
  .object({
    kind,
    apiVersion,
    kindName,
    namespaced: z.boolean().describe("Whether objects of the kind have a namespace"),
    columns: z.array(columnSchema).describe("Columns, as the API server's tables have them"),
    clusters: z
      .array(z.string())
      .optional()
      .describe(
        "Names of the clusters that the table is for, where clusters have the kind with different columns; absent: all clusters that no other table of the kind names",
      ),
  })
  .meta({ id: "KindTable", description: "Columns of a kind, for the items of this kind" });
export type KindTable = Infer<typeof kindTableSchema>;

export const objectListSchema = z
  .object({
    items: z.array(objectItemSchema).describe("Objects, in the requested order"),
    tables: z
      .array(kindTableSchema)
      .describe(
        "Tables of the page's items, and of other requested kinds as far as there is room; several for a kind that clusters have with different columns",
      ),
    clusters: z.array(dataAgeSchema).describe("Age of the data of each cluster that the request covers"),
    next: z
      .string()
      .optional()
      .describe("Cursor of the next page; absent on the last page. A page with one can be shorter than its limit"),
  })
  .meta({ id: "ObjectList", description: "A page of objects over clusters" });
export type ObjectList = Infer<typeof objectListSchema>;

export const objectDetailSchema = z
  .object({
    item: objectItemSchema.describe("The object"),
    table: kindTableSchema.describe("Columns of the object's kind"),
    owners: z.array(objectRefSchema).describe("Owners, from the direct one upwards"),
    children: z.array(objectRefSchema).describe("Objects that the object owns directly"),
    events: z.array(objectItemSchema).describe("Kubernetes events about the object, newest first"),
    age: dataAgeSchema.describe("Age of the cluster's data"),
  })
  .meta({ id: "ObjectDetail", description: "An object with its owners, children and events" });
export type ObjectDetail = Infer<typeof objectDetailSchema>;
