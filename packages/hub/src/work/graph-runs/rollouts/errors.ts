import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ROLLOUT_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/commands-rollouts.md for rollouts, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says where.",
  },
  ROLLOUT_NOT_FOUND: {
    httpStatus: 404,
    message: "The rollout doesn't exist, or you can't see it.",
    hint: "List the rollouts that you can see: `GET /api/v1/rollouts`. The hub deletes a rollout 30 days after its end.",
  },
  ROLLOUT_NO_CLUSTERS: {
    httpStatus: 404,
    message: "The request selects no usable cluster.",
    hint: "Preview the selected clusters, and why they are unusable: `POST /api/v1/rollouts/preview` (`--preview`).",
    meaning: "The request selects no cluster that the caller can see.",
    remedy: "List the clusters with their labels: `fairlead cluster list`.",
  },
  ROLLOUT_CLUSTERS_UNUSABLE: {
    httpStatus: 409,
    message: "{count} of the clusters are unusable, so the rollout didn't start: {clusters}.",
    hint: "Preview the reason for each (`--preview`), or skip these clusters with `skipUnusable` (`--skip-unusable`).",
    meaning: "Some of the clusters are unusable, so the rollout didn't start.",
  },
  ROLLOUT_CLUSTERS_TOO_MANY: {
    httpStatus: 413,
    message: "The request selects {count} clusters; the limit for a rollout is {limit}.",
    hint: "Split the rollout by labels.",
    meaning: "The request selects more than 10,000 clusters.",
  },
  ROLLOUT_TOO_LARGE: {
    httpStatus: 413,
    message: "The rollout would store {sizeMib} MiB of specs for {count} clusters; the limit is {limitMib} MiB.",
    hint: "Let the spec refer to a chart or a git repository instead of containing it, or split the rollout by labels.",
    meaning: "The specs of all the rollout's clusters are larger than 1 GiB in total.",
  },
  ROLLOUT_WAVE_UNKNOWN: {
    httpStatus: 400,
    message:
      'Wave {wave} names cluster "{cluster}", which isn\'t part of the rollout or is already in an earlier wave.',
    hint: "Put each cluster into one wave, and into `clusters`, `selector` or `all`.",
  },
  ROLLOUT_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many rollouts are in progress: the limit for {who} is {limit}.",
    hint: "Wait until one ends, or cancel one that isn't needed.",
    meaning: "The user has 20 rollouts in progress, or all users together have 200.",
  },
  ROLLOUT_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many requests that select clusters are in progress for {who}.",
    hint: "Retry in a moment, with fewer requests at once.",
    meaning: "Too many requests that select clusters are in progress: at most 2 per user, and 8 in total.",
  },
  ROLLOUT_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "The idempotency key was already used for a different request; its rollout is {id}.",
    hint: "Use a new key for each new request, and the same key only to repeat a request.",
  },
  ROLLOUT_ENDED: {
    httpStatus: 409,
    message: "The rollout has ended or is about to end: it is {state}.",
    hint: "To undo its changes, create another rollout.",
    meaning: "The rollout has already ended, so it can't be paused, resumed or cancelled.",
  },
  ROLLOUT_NOT_PAUSED: {
    httpStatus: 409,
    message: "The rollout isn't paused: it is {state}.",
    hint: "Only a paused rollout can be resumed.",
    meaning: "The rollout isn't paused, so it can't be resumed.",
    remedy: "No action needed: the rollout is in progress or has ended.",
  },
  ROLLOUT_NOT_RETRYABLE: {
    httpStatus: 409,
    message: "The rollout can't be retried: it is {state}, and none of its clusters failed.",
    hint: "Wait until it ends. To include clusters that it skipped or didn't reach, use `skipped`.",
    meaning: "The rollout hasn't ended, or none of its clusters failed.",
    remedy: "Wait until it ends. To include clusters that it didn't reach, use `skipped` (`--with-skipped`).",
  },
  /** Why clusters weren't asked, or a rollout stopped. */
  ROLLOUT_STOPPED: {
    message: "The rollout stopped starting new clusters after {failed} failures.",
    hint: "Find the cause of the failures, then retry the clusters that failed or weren't reached: `fairlead rollout retry`.",
    meaning: "The rollout stopped starting new clusters because too many failed.",
  },
  ROLLOUT_REQUESTER_GONE: {
    message: "The account of {requester}, who created the rollout, no longer exists, so no more clusters start.",
    hint: "Any user who can create such commands can run the rest: `fairlead rollout retry --with-skipped`.",
  },
  ROLLOUT_CLUSTER_CHANGED: {
    message: "The cluster was removed after the rollout started, or another cluster now has its name.",
    hint: "If you mean this cluster, create a separate command for it.",
  },
  ROLLOUT_COMMAND_UNSUCCESSFUL: {
    message: "The command ended as {outcome}.",
    hint: "See its history: `fairlead run get`.",
    meaning: "A cluster's command ended without success, and its agent reported no reason.",
  },
} as const;

export const rolloutErrors: Errors<typeof table> = defineErrors(table);
