import { z } from "zod";
import {
  type CreateCommandRequest,
  createCommandRequestSchema,
  hasSomethingToApprove,
  nothingToApprove,
} from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { clusterNameSchema, idempotencyKeySchema } from "../primitives.ts";
import { rolloutLimits } from "./names.ts";

const clusterNames = z.array(clusterNameSchema).min(1).max(rolloutLimits.namedClusters);
const selector = z.string().min(1).max(4_096);

const waveSchema = z
  .union([
    z.strictObject({ clusters: clusterNames.describe("Names of the clusters of this wave") }),
    z.strictObject({
      selector: selector.describe("Label selector of the clusters of this wave, such as `env=canary`"),
    }),
    z.strictObject({
      size: z
        .union([
          z.int().min(1).max(rolloutLimits.clusters),
          z.string().regex(/^([1-9][0-9]?|100)%$/, { message: "must be a number, or a percentage such as 10%" }),
        ])
        .describe("Number of clusters, or a percentage of all clusters of the rollout such as `10%`, rounded up"),
    }),
  ])
  .meta({ id: "RolloutWave", description: "Selects the clusters of a wave from those that are in no earlier wave" });
export type RolloutWave = Infer<typeof waveSchema>;

const plan = {
  clusters: clusterNames
    .optional()
    .describe(
      `Names of the clusters, at most ${rolloutLimits.namedClusters}. A request has one of \`clusters\`, \`selector\` and \`all\``,
    ),
  selector: selector
    .optional()
    .describe(
      "Label selector of the clusters in the syntax of Kubernetes, such as `env=prod,tier notin (edge)`; at most 10,000 clusters",
    ),
  all: z.literal(true).optional().describe("All clusters that the caller may see"),
  skipUnusable: z
    .boolean()
    .optional()
    .describe(
      "Skip clusters that can't run the command, for example revoked ones (default false: the request fails if there is one)",
    ),
  waves: z
    .array(waveSchema)
    .min(1)
    .max(rolloutLimits.waves)
    .optional()
    .describe(
      `Waves that run one after another, at most ${rolloutLimits.waves}; clusters that are in none of them form the last wave (default: a single wave)`,
    ),
  maxParallel: z
    .int()
    .min(1)
    .max(rolloutLimits.clusters)
    .optional()
    .describe("Maximum number of clusters to run in at once (default 1,000)"),
  stopAfterFailures: z
    .int()
    .min(1)
    .max(rolloutLimits.clusters)
    .optional()
    .describe("Stop starting new clusters after this many failures (default 1 with `waves`; without them never)"),
  pauseBetweenWaves: z
    .union([z.boolean(), z.int().min(1).max(rolloutLimits.maxPauseSeconds)])
    .optional()
    .describe(
      "Pause between waves: `true` until someone resumes the rollout, a number for this many seconds, at most seven days (default false)",
    ),
};

/** In which clusters: one of `clusters`, `selector` and `all`; and in which order and how fast. */
export type RolloutPlan = Infer<z.ZodObject<typeof plan>>;

/** Takes the options of commands from their own schema, so that there is only one list of them. */
const commandOptions = (
  createCommandRequestSchema as unknown as z.ZodDiscriminatedUnion<readonly [CommandOption, ...CommandOption[]]>
).options;
type CommandOption = z.ZodObject<{ kind: z.ZodLiteral<string>; cluster: z.ZodType }>;

const [first, ...others] = commandOptions;
const toOption = (one: CommandOption) => one.omit({ cluster: true }).extend(plan);

export const createRolloutRequestSchema: z.ZodType<CreateRolloutRequest> = z
  .discriminatedUnion("kind", [toOption(first), ...others.map(toOption)])
  .refine(({ clusters, selector: labels, all }) => [clusters, labels, all].filter(Boolean).length === 1, {
    message: "must have one of clusters, selector and all",
  })
  .refine((request: object) => hasSomethingToApprove(request), nothingToApprove)
  .meta({
    id: "CreateRolloutRequest",
    description: "Creates a command in each of several clusters, in waves if requested",
  }) as unknown as z.ZodType<CreateRolloutRequest>;

/** Written out, since the compiler can't follow the options of commands through their rebuilding above. */
export type CreateRolloutRequest = RolloutCommand & RolloutPlan;
type RolloutCommand<Request = CreateCommandRequest> = Request extends unknown ? Omit<Request, "cluster"> : never;

export const retryRolloutRequestSchema = z
  .strictObject({
    skipped: z
      .boolean()
      .optional()
      .describe("Also retry clusters that were skipped or not reached (default false: failed clusters only)"),
    skipUnusable: z
      .boolean()
      .optional()
      .describe("Skip clusters that can't run the command (default false: the request fails if there is one)"),
    idempotencyKey: idempotencyKeySchema
      .optional()
      .describe("Key of at most 128 printable ASCII characters: repeating a request with the same key runs it once"),
  })
  .meta({ id: "RetryRolloutRequest", description: "Starts a new rollout for the failed clusters of a rollout" });
export type RetryRolloutRequest = Infer<typeof retryRolloutRequestSchema>;
