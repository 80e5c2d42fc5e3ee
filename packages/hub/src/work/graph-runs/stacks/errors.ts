import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  STACK_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/commands-stacks.md describes stacks, and the hub's OpenAPI document every call.",
    meaning: "The request isn't what the call takes; the message says where.",
  },
  STACK_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such stack, or you may not see it.",
    hint: "`GET /api/v1/stacks` (`fairlead stack list`) lists those that you may see.",
  },
  STACK_RUN_NOT_FOUND: {
    httpStatus: 404,
    message: "The stack has no such run.",
    hint: "`GET /api/v1/stacks/NAME/runs` lists them. The hub forgets a run 30 days after its end.",
  },
  STACK_KIND_UNFIT: {
    httpStatus: 400,
    message:
      "{place}: commands of the kind {kind} can't be in a stack, since there is no way to destroy what they did.",
    hint: "docs/commands-stacks.md names the kinds that can.",
  },
  STACK_ACTION_UNFIT: {
    httpStatus: 400,
    message: "{place}: a resource of a stack declares what is to be there, and doesn't ask for other actions.",
    hint: "Leave the action out. For an action that is done once, ask for a command by itself.",
    meaning: "A stack resource can't contain an action such as `rollback`; it declares desired state only.",
  },
  STACK_RESOURCE_UNKNOWN: {
    httpStatus: 400,
    message: '{place}: the stack declares no resource "{name}".',
    hint: "A resource may name only resources of the same declaration.",
    meaning: "A resource names one that the stack doesn't declare; the message says where.",
  },
  STACK_CYCLE: {
    httpStatus: 400,
    message: "Each of these resources would have to come before the others: {cycle}.",
    hint: "Take one of the dependencies out: of `dependsOn`, or a reference to outputs.",
    meaning: "Resources depend on each other in a circle; the message names all of it.",
  },
  STACK_REFERENCE_INVALID: {
    httpStatus: 400,
    message: "{place}: a text there begins like a reference to an output, but isn't one.",
    hint: "docs/commands-stacks.md says how references are written, and how text that looks like one is.",
    meaning: "A text begins like a reference to an output, but isn't one; the message says where.",
    remedy: "Write `$` and `{resources.NAME.outputs.KEY}` after it. A second `$` in front makes it text.",
  },
  STACK_OUTPUTS_MISSING: {
    httpStatus: 400,
    message: '{place}: resource "{name}" writes no outputs to a Secret.',
    hint: "Only a resource that gives outputs out, and says to which Secret, can be referred to.",
    meaning: "A resource uses outputs of one that writes none to a Secret.",
    remedy: "Let that one say to which Secret its outputs go, if its kind has any.",
  },
  STACK_OUTPUTS_ELSEWHERE: {
    httpStatus: 400,
    message: '{place}: the outputs of "{name}" are in cluster "{other}", and this resource is in "{cluster}".',
    hint: "Values never pass through the hub. Bring them to the other cluster by its own means, and refer to them there.",
    meaning: "A resource uses outputs of one in another cluster. Values never pass through the hub.",
  },
  STACK_TARGET_TWICE: {
    httpStatus: 400,
    message: '"{name}" and "{other}" are the same thing in cluster "{cluster}": {target}.',
    hint: "Each resource has a target of its own: another name or another namespace.",
    meaning: "Two resources are the same thing in a cluster.",
  },
  STACK_TARGET_TAKEN: {
    httpStatus: 409,
    message: 'Another stack has {target} in cluster "{cluster}" already.',
    hint: "Destroy it there first, or choose another name or another namespace.",
    meaning: "Another stack has this set or release in that cluster already.",
  },
  STACK_TOO_DEEP: {
    httpStatus: 400,
    message: "{place}: values are nested too deep there.",
    hint: "A spec may have 64 levels.",
    meaning: "A spec has more than 64 levels.",
    remedy: "Write it flatter.",
  },
  STACK_TOO_LARGE: {
    httpStatus: 413,
    message: "The stack has {what}, and {limit} is the most.",
    hint: "Make several stacks of it.",
    meaning:
      "The stack has more than 4 MiB of specs or 1,000 references, or a run of it would have more than 200 steps.",
  },
  STACK_TOO_MANY: {
    httpStatus: 429,
    message: "{who} may have no more: {limit}.",
    hint: "Destroy stacks that nobody needs any more, or wait for the end of runs.",
    meaning:
      "This user has 100 stacks, 64 MiB of specs in them or 20 runs under way, or all together have 1,000, 512 MiB or 200.",
  },
  STACK_READERS_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "As many declarations are being read as {who} may have read at once.",
    hint: "Ask again in a moment.",
    meaning: "Too many declarations are being read at once: a user may have 2, all together 8.",
  },
  STACK_BUSY: {
    httpStatus: 409,
    message: "A run of the stack is under way: {id} ({action}).",
    hint: "Wait for its end, or cancel it: `fairlead stack cancel`.",
    meaning: "A run of the stack is under way; the message names it.",
  },
  STACK_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "Another request came under the same idempotency key before; its run is {id}.",
    hint: "Use a new key for each thing that you want done, and the same one only to repeat a request.",
  },
  STACK_RUN_ENDED: {
    httpStatus: 409,
    message: "The run has ended already: it is {state}.",
    hint: "Nothing has to be cancelled.",
    meaning: "A run was to be cancelled and has ended already.",
  },
  /** Why a step didn't succeed, or wasn't done. */
  STACK_STEP_SKIPPED: {
    message: 'It comes after "{name}", which didn\'t succeed.',
    hint: "Look at that one first; the next run tries both again.",
    meaning: "A step wasn't done, since one before it didn't succeed.",
  },
  STACK_KNOWN_LATER: {
    message: 'It uses outputs of "{name}", which aren\'t there yet, so its plan is known only later.',
    hint: "Apply the stack, or that resource alone at first, and plan again.",
    meaning: "A resource can't be planned, since outputs that it uses aren't there yet.",
  },
  STACK_REQUESTER_GONE: {
    message: "{requester}, who asked for the run, has no account any more, so nothing more is begun.",
    hint: "Anybody who may apply the stack can ask for another run.",
  },
  STACK_CLUSTER_CHANGED: {
    message: "The cluster was removed since the run began, or another one has its name.",
    hint: "Apply the stack again if the cluster of that name is meant.",
  },
  STACK_CLUSTER_GONE: {
    message: "The cluster in which it was applied isn't the hub's any more, so there is nothing to destroy.",
    hint: "The people who run that cluster can remove what may be left there.",
    meaning: "A resource was to be destroyed in a cluster that isn't the hub's any more. It is forgotten.",
  },
  STACK_COMMAND_UNSUCCESSFUL: {
    message: "The command ended as {outcome}.",
    hint: "`fairlead run get` has its history.",
    meaning: "A step's command ended without success, and its agent gave no reason.",
  },
} as const;

export const stackErrors: Errors<typeof table> = defineErrors(table);
