import { z } from "zod";
import type { Infer } from "../infer.ts";
import { optionalTextSchema } from "../primitives.ts";
import { rolloutClusterStates, rolloutStates } from "./names.ts";

const cursor = z
  .string()
  .regex(/^[0-9]{1,15}$/, "isn't a cursor of this hub")
  .optional()
  .describe("`next` of the previous page");

export const rolloutListQuerySchema = z.strictObject({
  state: listOf(rolloutStates).describe("Only rollouts in these states, separated by commas"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe("Maximum number of rollouts on a page, at most 200 (default 50)"),
  cursor,
});
export type RolloutListQuery = Infer<typeof rolloutListQuerySchema>;

export const rolloutClustersQuerySchema = z.strictObject({
  state: listOf(rolloutClusterStates).describe("Only clusters in these states, separated by commas"),
  since: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Only clusters that changed after this `version` of the rollout"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe("Maximum number of clusters on a page, at most 1,000 (default 200)"),
  cursor,
});
export type RolloutClustersQuery = Infer<typeof rolloutClustersQuerySchema>;

function listOf(names: readonly string[]) {
  return optionalTextSchema(256).refine(
    (value) => value === undefined || value.split(",").every((name) => names.includes(name)),
    { message: `must be some of ${names.join(", ")}` },
  );
}
