import { z } from "zod";
import { optionalTextSchema } from "../primitives.ts";
import { commandKindNames, commandStates } from "./names.ts";

/** Which commands are wanted; all conditions together. Lists are separated by commas. */
export interface CommandListQuery {
  readonly cluster?: string | undefined;
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  /** Name of who asked for them. */
  readonly requester?: string | undefined;
  /** At most 500; 100 unless told. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

const conditions = {
  cluster: optionalTextSchema(4_096),
  state: listOf(commandStates),
  kind: listOf(commandKindNames),
  requester: optionalTextSchema(1_024),
};

/** For whoever follows them. */
export type RunFilter = Omit<CommandListQuery, "cursor">;

export const runFilterSchema: z.ZodType<RunFilter> = z.strictObject({
  ...conditions,
  limit: z.int().min(1).max(500).optional(),
});

export const commandListQuerySchema: z.ZodType<CommandListQuery> = z.strictObject({
  ...conditions,
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
    .optional(),
});

export interface CommandLogQuery {
  /** The offset of the first byte that is wanted; 0 unless told. */
  readonly offset?: number | undefined;
  /** Goes on as the log grows, and ends with the command. */
  readonly follow?: boolean | undefined;
}

export const commandLogQuerySchema: z.ZodType<CommandLogQuery> = z.strictObject({
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  follow: z.union([z.boolean(), z.stringbool()]).optional(),
});

function listOf(names: readonly string[]): z.ZodType<string | undefined> {
  return optionalTextSchema(256).refine(
    (value) => value === undefined || value.split(",").every((name) => names.includes(name)),
    {
      message: `must be some of ${names.join(", ")}`,
    },
  );
}
