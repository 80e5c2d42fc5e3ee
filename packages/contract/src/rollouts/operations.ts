import type { Operation } from "../old-operation.ts";
import { createRolloutRequestSchema, retryRolloutRequestSchema } from "./requests.ts";
import { rolloutClusterListSchema, rolloutListSchema, rolloutPreviewSchema, rolloutSchema } from "./rollout.ts";

const common = { method: "get", needsToken: true } as const;
const rollout = { status: 200, description: "The rollout", body: rolloutSchema } as const;

export const rolloutOperations: readonly Operation[] = [
  {
    ...common,
    id: "createRollout",
    method: "post",
    path: "/api/v1/rollouts",
    summary: "Ask several clusters for the same, in waves if wanted",
    request: createRolloutRequestSchema,
    success: { status: 201, description: "The rollout; 200 for that of an earlier request", body: rolloutSchema },
  },
  {
    ...common,
    id: "previewRollout",
    method: "post",
    path: "/api/v1/rollouts/preview",
    summary: "Say which clusters a rollout would have in which wave, and which can't be asked; changes nothing",
    request: createRolloutRequestSchema,
    success: { status: 200, description: "What it would be now", body: rolloutPreviewSchema },
  },
  {
    ...common,
    id: "listRollouts",
    path: "/api/v1/rollouts",
    summary: "Rollouts, newest first",
    query: {
      state: "Only in these states, separated by commas",
      limit: "Items on a page, at most 200; 50 unless told",
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "A page of rollouts", body: rolloutListSchema },
  },
  { ...common, id: "getRollout", path: "/api/v1/rollouts/{id}", summary: "One rollout", success: rollout },
  {
    ...common,
    id: "listRolloutClusters",
    path: "/api/v1/rollouts/{id}/clusters",
    summary: "The clusters of a rollout by wave, each with what became of it",
    query: {
      state: "Only in these states, separated by commas",
      since: "Only what changed after this `version`",
      limit: "Items on a page, at most 1,000; 200 unless told",
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "A page of its clusters", body: rolloutClusterListSchema },
  },
  {
    ...common,
    id: "pauseRollout",
    method: "post",
    path: "/api/v1/rollouts/{id}/pause",
    summary: "Make no more commands for now; those that there are go on",
    success: rollout,
  },
  {
    ...common,
    id: "resumeRollout",
    method: "post",
    path: "/api/v1/rollouts/{id}/resume",
    summary: "Go on with a rollout that is paused",
    success: rollout,
  },
  {
    ...common,
    id: "cancelRollout",
    method: "post",
    path: "/api/v1/rollouts/{id}/cancel",
    summary: "Make no more commands and cancel all that there are: gracefully at first, asked again at once",
    success: rollout,
  },
  {
    ...common,
    id: "retryRollout",
    method: "post",
    path: "/api/v1/rollouts/{id}/retry",
    summary: "Ask those clusters again in which a rollout that has ended failed",
    request: retryRolloutRequestSchema,
    success: { status: 201, description: "A new rollout; 200 for that of an earlier request", body: rolloutSchema },
  },
];
