// The messages on the live socket: one JSON message per WebSocket message. A connection carries many subscriptions, each to
// objects or to runs.
import { z } from "zod";
import {
  type RunLiveMessage,
  type RunSubscribeRequest,
  runLiveMessageSchema,
  runSubscribeRequestSchema,
} from "./commands/index.ts";
import {
  type ObjectLiveMessage,
  type ObjectSubscribeRequest,
  objectLiveMessageSchema,
  objectSubscribeRequestSchema,
} from "./inventory/index.ts";

export type LiveRequest =
  | ObjectSubscribeRequest
  | RunSubscribeRequest
  | { readonly type: "credit"; readonly id: string; readonly add: number }
  | { readonly type: "unsubscribe"; readonly id: string };

export type LiveMessage =
  | ObjectLiveMessage
  | RunLiveMessage
  /** The subscription is over. */
  | { readonly type: "error"; readonly id: string; readonly code: string; readonly message: string };

const idSchema = z.string().min(1).max(64);

export const liveRequestSchema: z.ZodType<LiveRequest> = z.union([
  objectSubscribeRequestSchema,
  runSubscribeRequestSchema,
  z.strictObject({ type: z.literal("credit"), id: idSchema, add: z.int().min(1).max(1_024) }),
  z.strictObject({ type: z.literal("unsubscribe"), id: idSchema }),
]);

export const liveMessageSchema: z.ZodType<LiveMessage> = z.union([
  objectLiveMessageSchema,
  runLiveMessageSchema,
  z.object({ type: z.literal("error"), id: z.string(), code: z.string(), message: z.string() }),
]);
