// Runs on the live socket: one with its log, or the newest that fit a question. A message has a run's state of now: a
// client that takes nothing gets the newest state later. A log has no gaps: it waits.
import { z } from "zod";
import { type Command, commandSchema } from "./command.ts";
import { type RunFilter, runFilterSchema } from "./query.ts";

export type RunSubscribeRequest =
  /** Follows a run until its end. */
  | {
      readonly type: "follow-run";
      /** The client's own; answers carry it. */
      readonly id: string;
      readonly run: string;
      /** The first byte of its log that is wanted; without it the log isn't told. */
      readonly logFrom?: number | undefined;
      /** Messages that may be sent; 16 unless told. */
      readonly credit?: number | undefined;
    }
  /** The newest runs that fit. */
  | {
      readonly type: "follow-runs";
      readonly id: string;
      readonly filter: RunFilter;
      readonly credit?: number | undefined;
    };

export type RunLiveMessage =
  /** How the run is now: at first, and after each change. */
  | { readonly type: "run"; readonly id: string; readonly run: Command }
  /** The next bytes of its log, as base64; `offset` is that of their first one. */
  | { readonly type: "log"; readonly id: string; readonly offset: number; readonly data: string }
  /** The run has ended, and all that was asked for is told: the subscription is over. */
  | { readonly type: "ended"; readonly id: string }
  /** Runs that are new or changed, and the ids of those that aren't among the newest that fit any more. */
  | { readonly type: "runs"; readonly id: string; readonly items: Command[]; readonly gone: string[] };

const idSchema = z.string().min(1).max(64);
const creditSchema = z.int().min(1).max(1_024).optional();

export const runSubscribeRequestSchema: z.ZodType<RunSubscribeRequest> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("follow-run"),
    id: idSchema,
    run: z.string().max(64),
    logFrom: z.int().min(0).optional(),
    credit: creditSchema,
  }),
  z.strictObject({ type: z.literal("follow-runs"), id: idSchema, filter: runFilterSchema, credit: creditSchema }),
]);

export const runLiveMessageSchema: z.ZodType<RunLiveMessage> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run"), id: z.string(), run: commandSchema }),
  z.object({ type: z.literal("log"), id: z.string(), offset: z.int(), data: z.base64() }),
  z.object({ type: z.literal("ended"), id: z.string() }),
  z.object({ type: z.literal("runs"), id: z.string(), items: z.array(commandSchema), gone: z.array(z.string()) }),
]);
