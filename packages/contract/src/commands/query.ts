import { z } from "zod";
import type { Infer } from "../infer.ts";
import { optionalTextSchema } from "../primitives.ts";
import { commandKindNames, commandStates } from "./names.ts";

const conditions = {
  cluster: optionalTextSchema(4_096).describe("Only commands in these clusters, separated by commas"),
  state: listOf(commandStates).describe("Only commands in these states, separated by commas"),
  kind: listOf(commandKindNames).describe("Only commands of these kinds, separated by commas"),
  requester: optionalTextSchema(1_024).describe("Only commands of the requester with this name"),
};
const limit = "Maximum number of commands, 1 to 500 (default 100)";

/** For clients that follow the newest runs. */
export const runFilterSchema = z.strictObject({
  ...conditions,
  limit: z.int().min(1).max(500).optional().describe(limit),
});
export type RunFilter = Infer<typeof runFilterSchema>;

/** Which commands are wanted; all conditions together. */
export const commandListQuerySchema = z.strictObject({
  ...conditions,
  limit: z.coerce.number().int().min(1).max(500).optional().describe(limit),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
    .optional()
    .describe("Cursor of the page: `next` of the previous page (default: the first page)"),
});
export type CommandListQuery = Infer<typeof commandListQuerySchema>;

export const commandLogQuerySchema = z.strictObject({
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Offset of the first byte to read (default 0)"),
  follow: z
    .union([z.boolean(), z.stringbool()])
    .optional()
    .describe("Continue as the log grows, until the command ends (default false)"),
  timestamps: z
    .union([z.boolean(), z.stringbool()])
    .optional()
    .describe("Begin each line with the RFC 3339 time at which the hub received it (default false)"),
});
export type CommandLogQuery = Infer<typeof commandLogQuerySchema>;

function listOf(names: readonly string[]) {
  return optionalTextSchema(256).refine(
    (value) => value === undefined || value.split(",").every((name) => names.includes(name)),
    {
      message: `must be some of ${names.join(", ")}`,
    },
  );
}
