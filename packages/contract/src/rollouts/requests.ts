import { z } from "zod";
import {
  type CreateCommandRequest,
  createCommandRequestSchema,
  hasSomethingToApprove,
  nothingToApprove,
} from "../commands/index.ts";
import { clusterNameSchema, idempotencyKeySchema } from "../primitives.ts";
import { rolloutLimits } from "./names.ts";

/** In which clusters: one of `clusters`, `selector` and `all`; and in which order and how fast. */
export interface RolloutPlan {
  readonly clusters?: readonly string[] | undefined;
  /** By their labels, as Kubernetes writes it: `env=prod,tier notin (edge)`. */
  readonly selector?: string | undefined;
  /** All that the caller may know of. */
  readonly all?: true | undefined;
  /** Clusters that can't be asked are left out; else nothing begins when there is one. */
  readonly skipUnusable?: boolean | undefined;
  /** Waves go one after the other. Clusters that are in none of them are the last one. */
  readonly waves?: readonly RolloutWave[] | undefined;
  /** How many clusters have a command that hasn't ended, at most. */
  readonly maxParallel?: number | undefined;
  /** With so many failures no more commands are made: 1 unless told when there are waves, and else never. */
  readonly stopAfterFailures?: number | undefined;
  /** True: until somebody resumes it. A number: for so many seconds. */
  readonly pauseBetweenWaves?: boolean | number | undefined;
}

/** Chooses from the clusters that no earlier wave has. */
export type RolloutWave =
  | { readonly clusters: readonly string[] }
  | { readonly selector: string }
  /** A number, or a part of all clusters: `10%`. */
  | { readonly size: number | string };

/** The request for a command, without its cluster. */
type RolloutCommand<Request = CreateCommandRequest> = Request extends unknown ? Omit<Request, "cluster"> : never;

export type CreateRolloutRequest = RolloutCommand & RolloutPlan;

export interface RetryRolloutRequest {
  /** Clusters that were left out or not reached, too. */
  readonly skipped?: boolean | undefined;
  /** Clusters that can't be asked are left out. */
  readonly skipUnusable?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
}

const clusterNames = z.array(clusterNameSchema).min(1).max(rolloutLimits.namedClusters);
const selector = z.string().min(1).max(4_096);

const waveSchema: z.ZodType<RolloutWave> = z
  .union([
    z.strictObject({ clusters: clusterNames }),
    z.strictObject({ selector }),
    z.strictObject({
      size: z.union([
        z.int().min(1).max(rolloutLimits.clusters),
        z.string().regex(/^([1-9][0-9]?|100)%$/, { message: "must be a number, or a percentage such as 10%" }),
      ]),
    }),
  ])
  .meta({ id: "RolloutWave" });

const plan = {
  clusters: clusterNames.optional(),
  selector: selector.optional(),
  all: z.literal(true).optional(),
  skipUnusable: z.boolean().optional(),
  waves: z.array(waveSchema).min(1).max(rolloutLimits.waves).optional(),
  maxParallel: z.int().min(1).max(rolloutLimits.clusters).optional(),
  stopAfterFailures: z.int().min(1).max(rolloutLimits.clusters).optional(),
  pauseBetweenWaves: z.union([z.boolean(), z.int().min(1).max(rolloutLimits.maxPauseSeconds)]).optional(),
};

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
  .meta({ id: "CreateRolloutRequest" }) as unknown as z.ZodType<CreateRolloutRequest>;

export const retryRolloutRequestSchema: z.ZodType<RetryRolloutRequest> = z
  .strictObject({
    skipped: z.boolean().optional(),
    skipUnusable: z.boolean().optional(),
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .meta({ id: "RetryRolloutRequest" });
