// Objects on the live socket. A subscription first gets what there is (`items`, then `synced`), then changes. A client gives
// credit for messages with items. A client that takes nothing gets nothing, and later the newest state of what changed
// meanwhile.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { dataAgeSchema } from "./age.ts";
import { kindTableSchema, objectItemSchema } from "./object.ts";
import { objectFilterSchema } from "./query.ts";

export const objectSubscribeRequestSchema = z.strictObject({
  type: z.literal("subscribe").describe("Starts a subscription to objects"),
  id: z.string().min(1).max(64).describe("ID of the subscription, chosen by the client; messages about it carry it"),
  filter: objectFilterSchema.describe("Objects to receive; they have to match all of these filters"),
  include: z.literal("object").optional().describe("`object` adds the whole object to each item"),
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe("`cursor` of an earlier `synced` message, to receive only later changes (default: all objects)"),
  credit: z
    .int()
    .min(1)
    .max(1_024)
    .optional()
    .describe("Number of messages with items that the hub can send before the client gives more credit (default 16)"),
});
export type ObjectSubscribeRequest = Infer<typeof objectSubscribeRequestSchema>;

const id = z.string().describe("ID of the subscription");
const goneSchema = z.object({
  cluster: z.string().describe("Name of the object's cluster"),
  uid: z.string().describe("UID of the object"),
});

export const objectLiveMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("items").describe("New or changed objects"),
    id,
    items: z.array(objectItemSchema).describe("The objects"),
    tables: z
      .array(kindTableSchema)
      .optional()
      .describe("Tables of the items, as far as no earlier message of the subscription had them"),
  }),
  z.object({
    type: z.literal("removed").describe("Objects that no longer exist or no longer match the filter"),
    id,
    items: z.array(goneSchema).describe("The objects; some of them may never have been sent"),
  }),
  z.object({
    type: z.literal("synced").describe("The hub has sent everything up to here"),
    id,
    cursor: z.string().describe("Position to continue from with a later subscription"),
    isReset: z
      .boolean()
      .optional()
      .describe("Whether the requested cursor was too old, so that the client has to forget objects that weren't sent"),
  }),
  z.object({
    type: z.literal("ages").describe("Ages of the data, sent on changes and every few seconds"),
    id,
    clusters: z.array(dataAgeSchema).describe("Age of the data of each cluster of the subscription"),
  }),
]);
export type ObjectLiveMessage = Infer<typeof objectLiveMessageSchema>;
