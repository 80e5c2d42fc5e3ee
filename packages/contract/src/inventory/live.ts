// Objects on the live socket. A subscription first gets what there is (`items`, then `synced`), then changes. A client gives
// credit for messages with items. A client that takes nothing gets nothing, and later the newest state of what changed
// meanwhile.
import { z } from "zod";
import { type DataAge, dataAgeSchema } from "./age.ts";
import { type KindTable, kindTableSchema, type ObjectItem, objectItemSchema } from "./object.ts";
import { type ObjectFilter, objectFilterSchema } from "./query.ts";

export interface ObjectSubscribeRequest {
  readonly type: "subscribe";
  /** The client's own; answers carry it. */
  readonly id: string;
  readonly filter: ObjectFilter;
  readonly include?: "object" | undefined;
  /** From a `synced` before: only what changed since. */
  readonly cursor?: string | undefined;
  /** Messages with items that may be sent; 16 unless told. */
  readonly credit?: number | undefined;
}

export type ObjectLiveMessage =
  /** New or changed. The columns stand in `tables` of this message or of one before it. */
  | {
      readonly type: "items";
      readonly id: string;
      readonly items: ObjectItem[];
      readonly tables?: KindTable[] | undefined;
    }
  /** No longer there, or no longer what the filter asks for. Some may never have been sent. */
  | {
      readonly type: "removed";
      readonly id: string;
      readonly items: { readonly cluster: string; readonly uid: string }[];
    }
  /** Everything up to here was sent. `isReset`: the cursor was too old, so forget what isn't among the items. */
  | { readonly type: "synced"; readonly id: string; readonly cursor: string; readonly isReset?: boolean | undefined }
  /** How old the data of the subscription's clusters is; when something changed, and every few seconds. */
  | { readonly type: "ages"; readonly id: string; readonly clusters: DataAge[] };

export const objectSubscribeRequestSchema: z.ZodType<ObjectSubscribeRequest> = z.strictObject({
  type: z.literal("subscribe"),
  id: z.string().min(1).max(64),
  filter: objectFilterSchema,
  include: z.literal("object").optional(),
  cursor: z.string().max(64).optional(),
  credit: z.int().min(1).max(1_024).optional(),
});

export const objectLiveMessageSchema: z.ZodType<ObjectLiveMessage> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("items"),
    id: z.string(),
    items: z.array(objectItemSchema),
    tables: z.array(kindTableSchema).optional(),
  }),
  z.object({
    type: z.literal("removed"),
    id: z.string(),
    items: z.array(z.object({ cluster: z.string(), uid: z.string() })),
  }),
  z.object({ type: z.literal("synced"), id: z.string(), cursor: z.string(), isReset: z.boolean().optional() }),
  z.object({ type: z.literal("ages"), id: z.string(), clusters: z.array(dataAgeSchema) }),
]);
