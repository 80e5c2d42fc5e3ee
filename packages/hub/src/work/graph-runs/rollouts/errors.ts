import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  ROLLOUT_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/commands-rollouts.md describes rollouts, and the hub's OpenAPI document every call.",
    meaning: "The request isn't what the call takes; the message says where.",
  },
  ROLLOUT_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such rollout, or you may not see it.",
    hint: "`GET /api/v1/rollouts` lists those that you may see. The hub forgets a rollout 30 days after its end.",
  },
  ROLLOUT_NO_CLUSTERS: {
    httpStatus: 404,
    message: "The request chooses no cluster that can be asked.",
    hint: "`POST /api/v1/rollouts/preview` (`--preview`) says which clusters it chooses, and why they can't be asked.",
    meaning: "The request chooses no cluster that you may see.",
    remedy: "`fairlead cluster list` shows them with their labels.",
  },
  ROLLOUT_CLUSTERS_UNUSABLE: {
    httpStatus: 409,
    message: "{count} of the clusters can't be asked, so nothing was begun: {clusters}.",
    hint: "A preview (`--preview`) says why of each; `skipUnusable` (`--skip-unusable`) leaves them out.",
    meaning: "Some of the clusters can't be asked, so nothing was begun.",
  },
  ROLLOUT_CLUSTERS_TOO_MANY: {
    httpStatus: 413,
    message: "The request chooses {count} clusters, and a rollout may have {limit}.",
    hint: "Ask for it in several rollouts, by labels.",
    meaning: "The request chooses more than 10,000 clusters.",
  },
  ROLLOUT_TOO_LARGE: {
    httpStatus: 413,
    message:
      "The rollout would store {sizeMib} MiB of specs for {count} clusters, and a rollout may store {limitMib} MiB.",
    hint: "Let the spec name a chart or a git repository instead of its content, or split the rollout by labels.",
    meaning: "The spec, once for each cluster of the rollout, takes more than 1 GiB.",
  },
  ROLLOUT_WAVE_UNKNOWN: {
    httpStatus: 400,
    message:
      "Wave {wave} names cluster \"{cluster}\", which isn't one of the rollout's, or is in an earlier wave already.",
    hint: "Each cluster is in one wave, and is one of `clusters`, `selector` or `all`.",
  },
  ROLLOUT_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many rollouts are under way: {who} may have {limit}.",
    hint: "Wait for the end of one, or cancel what nobody needs any more.",
    meaning: "This user has 20 rollouts under way, or all together have 200.",
  },
  ROLLOUT_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many requests that choose clusters are under way: {who} may have no more.",
    hint: "Ask again in a moment, with fewer at once.",
    meaning: "Too many requests that choose clusters are under way: a user may have 2, all together 8.",
  },
  ROLLOUT_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "Another request came under the same idempotency key before; its rollout is {id}.",
    hint: "Use a new key for each thing that you want done, and the same one only to repeat a request.",
  },
  ROLLOUT_ENDED: {
    httpStatus: 409,
    message: "The rollout has ended already, or is about to: it is {state}.",
    hint: "Nothing has to be stopped. Ask for another rollout to undo what it did.",
    meaning: "A rollout was to be paused, resumed or cancelled, and has ended or is about to.",
  },
  ROLLOUT_NOT_PAUSED: {
    httpStatus: 409,
    message: "The rollout isn't paused: it is {state}.",
    hint: "Only a rollout that is paused is resumed.",
    meaning: "A rollout was to be resumed, and isn't paused.",
    remedy: "Nothing: it goes on, or has ended.",
  },
  ROLLOUT_NOT_RETRYABLE: {
    httpStatus: 409,
    message: "There is nothing to try again: the rollout is {state}, and no cluster of it failed.",
    hint: "Wait for its end. Clusters that it left out or didn't reach are asked again with `skipped`.",
    meaning: "The rollout hasn't ended, or no cluster of it failed.",
    remedy: "Wait for its end; `skipped` (`--with-skipped`) asks those that weren't reached.",
  },
  /** Why clusters weren't asked, or a rollout stopped. */
  ROLLOUT_STOPPED: {
    message: "{failed} clusters failed, so no more are asked.",
    hint: "Look at what failed first; `fairlead rollout retry` asks those again that failed, or weren't reached.",
    meaning: "So many clusters failed that no more are asked.",
  },
  ROLLOUT_REQUESTER_GONE: {
    message: "{requester}, who asked for the rollout, has no account any more, so no more clusters are asked.",
    hint: "Anybody who may ask for such commands can ask for the rest: `fairlead rollout retry --with-skipped`.",
  },
  ROLLOUT_CLUSTER_CHANGED: {
    message: "The cluster was removed since the rollout began, or another one has its name.",
    hint: "If this cluster is the one you mean, ask for a command there by itself.",
  },
  ROLLOUT_COMMAND_UNSUCCESSFUL: {
    message: "The command ended as {outcome}.",
    hint: "`fairlead run get` has its history.",
    meaning: "A cluster's command ended without success, and its agent gave no reason.",
  },
} as const;

export const rolloutErrors: Errors<typeof table> = defineErrors(table);
