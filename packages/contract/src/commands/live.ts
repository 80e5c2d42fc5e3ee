// Runs on the live socket: one with its log, or the newest that fit a question. A message has a run's state of now: a
// client that takes nothing gets the newest state later. A log has no gaps: it waits.
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { commandSchema } from "./command.ts";
import { runFilterSchema } from "./query.ts";

const requestId = z.string().min(1).max(64).describe("ID of the subscription, chosen by the client. Messages carry it");
const credit = z
  .int()
  .min(1)
  .max(1_024)
  .optional()
  .describe("Number of messages that the hub may send before the client gives more credit (default 16)");

export const runSubscribeRequestSchema = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("follow-run").describe("Kind of the request"),
      id: requestId,
      run: z.string().max(64).describe("ID of the run"),
      logFrom: z
        .int()
        .min(0)
        .optional()
        .describe("Offset of the first byte of the log to send (default: the log isn't sent)"),
      timestamps: z
        .boolean()
        .optional()
        .describe("Whether messages say when the hub received their bytes (default false)"),
      credit,
    })
    .describe("Follows one run until it ends"),
  z
    .strictObject({
      type: z.literal("follow-runs").describe("Kind of the request"),
      id: requestId,
      filter: runFilterSchema.describe("Conditions that the runs must meet, all of them"),
      credit,
    })
    .describe("Follows the newest runs that meet conditions"),
]);
export type RunSubscribeRequest = Infer<typeof runSubscribeRequestSchema>;

const id = z.string().describe("ID of the subscription");

export const runLiveMessageSchema = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("run").describe("Kind of the message"),
      id,
      run: commandSchema.describe("Current state of the run"),
    })
    .describe("The run's current state: once at first, and after each change"),
  z
    .object({
      type: z.literal("log").describe("Kind of the message"),
      id,
      offset: z.int().describe("Offset in the log of the first of these bytes"),
      data: z.base64().describe("The next bytes of the log, in base64; at most 2 MiB"),
      at: timestampSchema
        .optional()
        .describe("RFC 3339 time at which the hub received the bytes. Absent unless the request has `timestamps`"),
    })
    .describe("The next bytes of the run's log"),
  z
    .object({ type: z.literal("ended").describe("Kind of the message"), id })
    .describe("The run has ended and everything requested was sent. The subscription is over"),
  z
    .object({
      type: z.literal("runs").describe("Kind of the message"),
      id,
      items: z
        .array(commandSchema)
        .describe("Runs that are new or have changed; at first all that meet the conditions"),
      gone: z.array(z.string()).describe("IDs of runs that are no longer among the newest that meet the conditions"),
    })
    .describe("Changes among the newest runs that meet the conditions"),
]);
export type RunLiveMessage = Infer<typeof runLiveMessageSchema>;
