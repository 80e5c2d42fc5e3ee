import { z } from "zod";
import {
  type CommandApproval,
  type CommandKindName,
  type CommandTrouble,
  commandApprovalSchema,
  commandKindNames,
  commandTroubleSchema,
  type TemplateOrigin,
  templateOriginSchema,
} from "../commands/index.ts";
import { timestampSchema } from "../primitives.ts";
import { type RolloutClusterState, type RolloutStateName, rolloutClusterStates, rolloutStates } from "./names.ts";

/** A request for several clusters. Each of them gets a command of its own, as its turn comes. */
export interface Rollout {
  readonly id: string;
  readonly kind: CommandKindName;
  readonly target: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly state: RolloutStateName;
  readonly requester: string;
  readonly createdAt: string;
  readonly finishedAt?: string | undefined;
  /** Which of `waves` is under way, from 1 on. */
  readonly wave: number;
  readonly waves: number;
  /** How many clusters there are, and in which state. */
  readonly clusters: { readonly all: number } & Readonly<Record<RolloutClusterState, number>>;
  /** How many of those that are running wait for people to approve their plan. */
  readonly awaitingApproval?: number | undefined;
  readonly maxParallel?: number | undefined;
  readonly stopAfterFailures?: number | undefined;
  readonly pauseBetweenWaves?: boolean | number | undefined;
  /** Absent unless it is paused. */
  readonly pause?: RolloutPause | undefined;
  /** How all its commands are cancelled. */
  readonly cancellation?: "graceful" | "forced" | undefined;
  /** Why it was stopped. */
  readonly trouble?: CommandTrouble | undefined;
  /** The rollout whose failed clusters this one tries again. */
  readonly retryOf?: string | undefined;
  /** The template that its commands are made of. */
  readonly template?: TemplateOrigin | undefined;
  /** Rises with each change of it or of one of its clusters. */
  readonly version: number;
}

export interface RolloutPause {
  readonly why: "asked" | "between-waves";
  readonly by?: string | undefined;
  /** It goes on by itself then. */
  readonly until?: string | undefined;
}

export interface RolloutList {
  readonly items: Rollout[];
  readonly next?: string | undefined;
}

/** A cluster of a rollout. */
export interface RolloutCluster {
  readonly cluster: string;
  /** From 1 on; 0: left out. */
  readonly wave: number;
  readonly state: RolloutClusterState;
  /** The id of its command, once there is one. */
  readonly command?: string | undefined;
  /** While its command waits for people to approve its plan. */
  readonly approval?: CommandApproval | undefined;
  readonly trouble?: CommandTrouble | undefined;
}

export interface RolloutClusterList {
  readonly items: RolloutCluster[];
  readonly next?: string | undefined;
  /** Ask with it as `since` for what changes from here on. */
  readonly version: number;
}

/** The rollout that a request would make now. */
export interface RolloutPreview {
  readonly target: string;
  readonly namespace: string;
  readonly waves: number;
  readonly items: { readonly cluster: string; readonly wave: number }[];
  /** Clusters that can't be asked, and why. */
  readonly unusable: UnusableCluster[];
}

export interface UnusableCluster {
  readonly cluster: string;
  readonly trouble: CommandTrouble;
}

const count = z.number();

export const rolloutSchema: z.ZodType<Rollout> = z
  .object({
    id: z.string(),
    kind: z.enum(commandKindNames),
    target: z.string(),
    namespace: z.string(),
    dryRun: z.boolean(),
    state: z.enum(rolloutStates),
    requester: z.string(),
    createdAt: timestampSchema,
    finishedAt: timestampSchema.optional(),
    wave: count,
    waves: count,
    clusters: z.object({
      all: count,
      waiting: count,
      running: count,
      succeeded: count,
      failed: count,
      skipped: count,
    }),
    awaitingApproval: count.optional(),
    maxParallel: count.optional(),
    stopAfterFailures: count.optional(),
    pauseBetweenWaves: z.union([z.boolean(), count]).optional(),
    pause: z
      .object({
        why: z.enum(["asked", "between-waves"]),
        by: z.string().optional(),
        until: timestampSchema.optional(),
      })
      .optional(),
    cancellation: z.enum(["graceful", "forced"]).optional(),
    trouble: commandTroubleSchema.optional(),
    retryOf: z.string().optional(),
    template: templateOriginSchema.optional(),
    version: count,
  })
  .meta({ id: "Rollout" });

export const rolloutListSchema: z.ZodType<RolloutList> = z
  .object({ items: z.array(rolloutSchema), next: z.string().optional() })
  .meta({ id: "RolloutList" });

const rolloutClusterSchema: z.ZodType<RolloutCluster> = z
  .object({
    cluster: z.string(),
    wave: count,
    state: z.enum(rolloutClusterStates),
    command: z.string().optional(),
    approval: commandApprovalSchema.optional(),
    trouble: commandTroubleSchema.optional(),
  })
  .meta({ id: "RolloutCluster" });

export const rolloutClusterListSchema: z.ZodType<RolloutClusterList> = z
  .object({ items: z.array(rolloutClusterSchema), next: z.string().optional(), version: count })
  .meta({ id: "RolloutClusterList" });

export const rolloutPreviewSchema: z.ZodType<RolloutPreview> = z
  .object({
    target: z.string(),
    namespace: z.string(),
    waves: count,
    items: z.array(z.object({ cluster: z.string(), wave: count })),
    unusable: z.array(z.object({ cluster: z.string(), trouble: commandTroubleSchema })),
  })
  .meta({ id: "RolloutPreview" });
