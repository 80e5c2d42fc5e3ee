import { z } from "zod";
import {
  commandApprovalSchema,
  commandKindNames,
  commandTroubleSchema,
  templateOriginSchema,
} from "../commands/index.ts";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";
import { rolloutClusterStates, rolloutStates } from "./names.ts";

const count = z.number();
const next = z.string().optional().describe("Cursor of the next page; absent on the last page");
const target = z
  .string()
  .describe("What the commands change, as KIND/NAMESPACE/NAME; commands with the same target run one after another");
const namespace = z.string().describe("Namespace that the commands act in");

const pauseSchema = z.object({
  why: z
    .enum(["asked", "between-waves"])
    .describe("`asked`: someone paused the rollout. `between-waves`: it waits before its next wave"),
  by: z.string().optional().describe("Name of the account that paused the rollout; absent between waves"),
  until: timestampSchema
    .optional()
    .describe("RFC 3339 time at which the rollout resumes by itself; absent where someone has to resume it"),
});
export type RolloutPause = Infer<typeof pauseSchema>;

const clusterCountsSchema = z.object({
  all: count.describe("Number of clusters in the rollout"),
  waiting: count.describe("Number of clusters whose turn hasn't come"),
  running: count.describe("Number of clusters whose command is in progress"),
  succeeded: count.describe("Number of clusters whose command succeeded"),
  failed: count.describe("Number of clusters whose command didn't succeed or couldn't be created"),
  skipped: count.describe("Number of clusters that were left out or not reached"),
});

export const rolloutSchema = z
  .object({
    id: z.string().describe("ID of the rollout, beginning with `rol_`"),
    kind: z.enum(commandKindNames).describe("Kind of its commands"),
    target,
    namespace,
    dryRun: z.boolean().describe("Whether the commands only report what they would change"),
    state: z
      .enum(rolloutStates)
      .describe(
        "`running`: clusters start as their turns come. `paused`: someone paused it, or it waits between two waves. `stopping`: no more clusters start, and it waits for commands in progress. `succeeded`, `failed`, `stopped` (some clusters weren't reached) and `cancelled` are final",
      ),
    requester: z.string().describe("Name of the account that requested the rollout"),
    createdAt: timestampSchema.describe("RFC 3339 time of the request"),
    finishedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time of the end; absent while the rollout is in progress"),
    wave: count.describe("Number of the wave in progress, from 1 to `waves`"),
    waves: count.describe("Number of waves"),
    clusters: clusterCountsSchema.describe("Number of clusters by state"),
    awaitingApproval: count
      .optional()
      .describe("Number of running clusters whose command waits for approval of its plan; absent where there are none"),
    maxParallel: count
      .optional()
      .describe("Maximum number of clusters to run in at once; absent for the default, 1,000"),
    stopAfterFailures: count
      .optional()
      .describe("Number of failures after which no more clusters start; absent for no limit"),
    pauseBetweenWaves: z
      .union([z.boolean(), count])
      .optional()
      .describe(
        "Pause between waves: `true` until someone resumes the rollout, a number for this many seconds; absent for none",
      ),
    pause: pauseSchema.optional().describe("Why the rollout is paused; absent in other states"),
    cancellation: z
      .enum(["graceful", "forced"])
      .optional()
      .describe("How the rollout's commands are being cancelled; absent unless someone cancelled it"),
    trouble: commandTroubleSchema.optional().describe("Why the rollout was stopped; absent otherwise"),
    retryOf: z
      .string()
      .optional()
      .describe("ID of the rollout whose failed clusters this one retries; absent for other rollouts"),
    template: templateOriginSchema
      .optional()
      .describe("Template that the commands are made from; absent where the request had a spec"),
    version: count.describe("Number that grows with each change of the rollout or one of its clusters"),
  })
  .meta({
    id: "Rollout",
    description: "A request for several clusters; each of them gets a command of its own when its turn comes",
  });
export type Rollout = Infer<typeof rolloutSchema>;

export const rolloutListSchema = z
  .object({ items: z.array(rolloutSchema).describe("Rollouts, newest first"), next })
  .meta({ id: "RolloutList", description: "A page of rollouts" });
export type RolloutList = Infer<typeof rolloutListSchema>;

const rolloutClusterSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    wave: count.describe("Number of its wave, from 1; 0 where it was left out"),
    state: z
      .enum(rolloutClusterStates)
      .describe(
        "`waiting`: its turn hasn't come. `running`: its command is in progress. `succeeded` and `failed`: outcome of the command. `skipped`: the cluster was left out, or the rollout ended before its turn",
      ),
    command: z.string().optional().describe("ID of the cluster's command; absent before it is created"),
    approval: commandApprovalSchema
      .optional()
      .describe("Approval that the cluster's command waits for; absent where it waits for none"),
    trouble: commandTroubleSchema.optional().describe("Why the cluster failed or was skipped; absent otherwise"),
  })
  .meta({ id: "RolloutCluster", description: "A cluster of a rollout" });
export type RolloutCluster = Infer<typeof rolloutClusterSchema>;

export const rolloutClusterListSchema = z
  .object({
    items: z.array(rolloutClusterSchema).describe("Clusters, by wave"),
    next,
    version: count.describe("Version of the rollout; pass it as `since` to get only later changes"),
  })
  .meta({ id: "RolloutClusterList", description: "A page of a rollout's clusters" });
export type RolloutClusterList = Infer<typeof rolloutClusterListSchema>;

const plannedClusterSchema = z.object({
  cluster: z.string().describe("Name of the cluster"),
  wave: count.describe("Number of the wave that the cluster would be in, from 1"),
});

const unusableClusterSchema = z.object({
  cluster: z.string().describe("Name of the cluster"),
  trouble: commandTroubleSchema.describe("Why the cluster can't run the command"),
});
export type UnusableCluster = Infer<typeof unusableClusterSchema>;

export const rolloutPreviewSchema = z
  .object({
    target,
    namespace,
    waves: count.describe("Number of waves"),
    items: z.array(plannedClusterSchema).describe("Clusters that the rollout would have, by wave"),
    unusable: z.array(unusableClusterSchema).describe("Selected clusters that can't run the command"),
  })
  .meta({ id: "RolloutPreview", description: "The rollout that a request would create now" });
export type RolloutPreview = Infer<typeof rolloutPreviewSchema>;
