import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  STACK_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/commands-stacks.md for stacks, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says where.",
  },
  STACK_NOT_FOUND: {
    httpStatus: 404,
    message: "The stack doesn't exist, or you can't see it.",
    hint: "List the stacks that you can see: `GET /api/v1/stacks` (`fairlead stack list`).",
  },
  STACK_RUN_NOT_FOUND: {
    httpStatus: 404,
    message: "The stack has no such run.",
    hint: "List its runs: `GET /api/v1/stacks/NAME/runs`. The hub deletes a run 30 days after its end.",
  },
  STACK_KIND_UNFIT: {
    httpStatus: 400,
    message: "{place}: a stack can't contain commands of the kind {kind}, because they can't be destroyed.",
    hint: "See docs/commands-stacks.md for the supported kinds.",
  },
  STACK_ACTION_UNFIT: {
    httpStatus: 400,
    message: "{place}: a stack resource declares desired state and can't contain another action.",
    hint: "Remove the action. To run an action once, create a separate command.",
    meaning: "A stack resource can't contain an action such as `rollback`; it declares desired state only.",
  },
  STACK_RESOURCE_UNKNOWN: {
    httpStatus: 400,
    message: '{place}: the stack doesn\'t declare a resource "{name}".',
    hint: "Refer only to resources of the same declaration.",
    meaning: "A resource refers to one that the stack doesn't declare; the message says where.",
  },
  STACK_CYCLE: {
    httpStatus: 400,
    message: "These resources depend on each other in a cycle: {cycle}.",
    hint: "Remove one of the dependencies, from `dependsOn` or from a reference to outputs.",
    meaning: "Resources depend on each other in a cycle; the message names all of them.",
  },
  STACK_REFERENCE_INVALID: {
    httpStatus: 400,
    message: "{place}: the text starts like a reference to an output but is invalid.",
    hint: "See docs/commands-stacks.md for the syntax of references and how to escape them.",
    meaning: "A text starts like a reference to an output but is invalid; the message says where.",
    remedy: "Write `$` followed by `{resources.NAME.outputs.KEY}`. To escape it, write another `$` in front.",
  },
  STACK_OUTPUTS_MISSING: {
    httpStatus: 400,
    message: '{place}: resource "{name}" doesn\'t write outputs to a Secret.',
    hint: "Refer only to a resource that has outputs and names the Secret for them.",
    meaning: "A resource uses outputs of another one that doesn't write any to a Secret.",
    remedy: "If the other resource's kind has outputs, set the Secret for them.",
  },
  STACK_OUTPUTS_ELSEWHERE: {
    httpStatus: 400,
    message: '{place}: the outputs of "{name}" are in cluster "{other}", but this resource is in "{cluster}".',
    hint: "Values never pass through the hub. Copy them to the other cluster by other means, and refer to them there.",
    meaning: "A resource uses outputs of a resource in another cluster. Values never pass through the hub.",
  },
  STACK_TARGET_TWICE: {
    httpStatus: 400,
    message: '"{name}" and "{other}" have the same target in cluster "{cluster}": {target}.',
    hint: "Give each resource its own target: another name or another namespace.",
    meaning: "Two resources have the same target in a cluster.",
  },
  STACK_TARGET_TAKEN: {
    httpStatus: 409,
    message: 'Another stack already owns {target} in cluster "{cluster}".',
    hint: "Destroy it there first, or choose another name or namespace.",
    meaning: "Another stack already owns this set or release in that cluster.",
  },
  STACK_TOO_DEEP: {
    httpStatus: 400,
    message: "{place}: the values are nested too deeply.",
    hint: "A spec can have at most 64 levels.",
    meaning: "A spec has more than 64 levels.",
    remedy: "Reduce the nesting.",
  },
  STACK_TOO_LARGE: {
    httpStatus: 413,
    message: "The stack has {what}; the limit is {limit}.",
    hint: "Split it into several stacks.",
    meaning:
      "The stack has more than 4 MiB of specs or 1,000 references, or a run of it would have more than 200 steps.",
  },
  STACK_TOO_MANY: {
    httpStatus: 429,
    message: "The limit for {who} is reached: {limit}.",
    hint: "Destroy stacks that aren't needed, or wait until runs end.",
    meaning:
      "The user has 100 stacks, 64 MiB of specs in them or 20 runs in progress, or all users together have 1,000, 512 MiB or 200.",
  },
  STACK_READERS_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "Too many declarations are being read for {who}.",
    hint: "Retry in a moment.",
    meaning: "Too many declarations are being read: at most 2 per user, and 8 in total.",
  },
  STACK_BUSY: {
    httpStatus: 409,
    message: "A run of the stack is in progress: {id} ({action}).",
    hint: "Wait until it ends, or cancel it: `fairlead stack cancel`.",
    meaning: "A run of the stack is in progress; the message names it.",
  },
  STACK_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "The idempotency key was already used for a different request; its run is {id}.",
    hint: "Use a new key for each new request, and the same key only to repeat a request.",
  },
  STACK_RUN_ENDED: {
    httpStatus: 409,
    message: "The run has already ended: it is {state}.",
    hint: "No action needed.",
    meaning: "The run has already ended, so it can't be cancelled.",
  },
  /** Why a step didn't succeed, or wasn't done. */
  STACK_STEP_SKIPPED: {
    message: 'The step was skipped, because "{name}" before it didn\'t succeed.',
    hint: "Find out why that step failed; the next run retries both.",
    meaning: "The step was skipped, because one before it didn't succeed.",
  },
  STACK_KNOWN_LATER: {
    message: "The plan isn't known yet, because the resource uses outputs of \"{name}\" that don't exist yet.",
    hint: "Apply the stack, or only that resource, and plan again.",
    meaning: "The resource can't be planned, because it uses outputs that don't exist yet.",
  },
  STACK_REQUESTER_GONE: {
    message: "The account of {requester}, who started the run, no longer exists, so no more steps start.",
    hint: "Any user who can apply the stack can start another run.",
  },
  STACK_CLUSTER_CHANGED: {
    message: "The cluster was removed after the run started, or another cluster now has its name.",
    hint: "If you mean the cluster that now has this name, apply the stack again.",
  },
  STACK_CLUSTER_GONE: {
    message: "The resource's cluster is no longer registered at the hub, so there is nothing to destroy.",
    hint: "Ask that cluster's operators to remove what remains there.",
    meaning: "The cluster of a resource to destroy is no longer registered at the hub. The hub forgets the resource.",
  },
  STACK_COMMAND_UNSUCCESSFUL: {
    message: "The command ended as {outcome}.",
    hint: "See its history: `fairlead run get`.",
    meaning: "A step's command ended without success, and its agent reported no reason.",
  },
} as const;

export const stackErrors: Errors<typeof table> = defineErrors(table);
