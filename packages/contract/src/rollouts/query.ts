import { z } from "zod";
import { optionalTextSchema } from "../primitives.ts";
import { rolloutClusterStates, rolloutStates } from "./names.ts";

export interface RolloutListQuery {
  /** Several are separated by commas. */
  readonly state?: string | undefined;
  /** At most 200; 50 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface RolloutClustersQuery {
  /** Several are separated by commas. */
  readonly state?: string | undefined;
  /** Only what changed after this `version`. */
  readonly since?: number | undefined;
  /** At most 1,000; 200 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const cursor = z
  .string()
  .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
  .optional();

export const rolloutListQuerySchema: z.ZodType<RolloutListQuery> = z.strictObject({
  state: listOf(rolloutStates),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  cursor,
});

export const rolloutClustersQuerySchema: z.ZodType<RolloutClustersQuery> = z.strictObject({
  state: listOf(rolloutClusterStates),
  since: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
  cursor,
});

function listOf(names: readonly string[]): z.ZodType<string | undefined> {
  return optionalTextSchema(256).refine(
    (value) => value === undefined || value.split(",").every((name) => names.includes(name)),
    { message: `must be some of ${names.join(", ")}` },
  );
}
