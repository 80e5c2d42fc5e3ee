import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send } from "../send.ts";
import { rolloutPaths as paths } from "./paths.ts";
import type { RolloutClustersQuery, RolloutListQuery } from "./query.ts";
import type { CreateRolloutRequest, RetryRolloutRequest } from "./requests.ts";
import {
  type Rollout,
  type RolloutClusterList,
  type RolloutList,
  type RolloutPreview,
  rolloutClusterListSchema,
  rolloutListSchema,
  rolloutPreviewSchema,
  rolloutSchema,
} from "./rollout.ts";

export interface RolloutCalls {
  /** With the key of an earlier request it is that one's rollout. */
  createRollout(request: CreateRolloutRequest, options?: CallOptions): Promise<Rollout>;
  /** Changes nothing. */
  previewRollout(request: CreateRolloutRequest, options?: CallOptions): Promise<RolloutPreview>;
  listRollouts(query?: RolloutListQuery, options?: CallOptions): Promise<RolloutList>;
  getRollout(id: string, options?: CallOptions): Promise<Rollout>;
  listRolloutClusters(id: string, query?: RolloutClustersQuery, options?: CallOptions): Promise<RolloutClusterList>;
  /** Commands that are there go on; no new ones are made. */
  pauseRollout(id: string, options?: CallOptions): Promise<Rollout>;
  resumeRollout(id: string, options?: CallOptions): Promise<Rollout>;
  /** The first call asks all commands for a graceful end, the second for one at once. */
  cancelRollout(id: string, options?: CallOptions): Promise<Rollout>;
  retryRollout(id: string, request?: RetryRolloutRequest, options?: CallOptions): Promise<Rollout>;
}

export function createRolloutCalls(send: Send): RolloutCalls {
  const get = { method: "GET" };
  const post = { method: "POST" };
  return {
    createRollout: (body, call) => send({ ...call, ...post, path: paths.rollouts, body, answer: rolloutSchema }),
    previewRollout: (body, call) =>
      send({ ...call, ...post, path: paths.previewRollout, body, answer: rolloutPreviewSchema }),
    listRollouts: (query = {}, call) =>
      send({ ...call, ...get, path: paths.rollouts + toQueryString(query), answer: rolloutListSchema }),
    getRollout: (id, call) => send({ ...call, ...get, path: paths.rollout(id), answer: rolloutSchema }),
    listRolloutClusters: (id, query = {}, call) =>
      send({
        ...call,
        ...get,
        path: paths.rolloutClusters(id) + toQueryString(query),
        answer: rolloutClusterListSchema,
      }),
    pauseRollout: (id, call) => send({ ...call, ...post, path: paths.pauseRollout(id), answer: rolloutSchema }),
    resumeRollout: (id, call) => send({ ...call, ...post, path: paths.resumeRollout(id), answer: rolloutSchema }),
    cancelRollout: (id, call) => send({ ...call, ...post, path: paths.cancelRollout(id), answer: rolloutSchema }),
    retryRollout: (id, body = {}, call) =>
      send({ ...call, ...post, path: paths.retryRollout(id), body, answer: rolloutSchema }),
  };
}
