import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "The hub's OpenAPI document describes every call, and docs/commands.md the spec of each kind.",
    meaning: "The request, or the spec in it, isn't what the call takes; the message says where.",
  },
  COMMAND_SPEC_TOO_LARGE: {
    httpStatus: 413,
    message: "The spec has {sizeBytes} bytes, and a command's may have {limitBytes}.",
    hint: "Ask for it in several commands, each with a set of its own.",
    meaning: "The spec has more than 3 MiB.",
  },
  COMMAND_SPEC_UNUSABLE: {
    httpStatus: 400,
    message: "No agent can carry out this spec: {fault}.",
    hint: "Remove NUL characters, and write out what YAML aliases repeat.",
    meaning:
      "A text of the spec has a NUL character, YAML aliases that unfold into very much, or very many YAML aliases in much text.",
  },
  COMMAND_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such command, or you may not see it.",
    hint: "`GET /api/v1/commands` lists those that you may see. The hub forgets a command 30 days after its end.",
  },
  COMMAND_ENDED: {
    httpStatus: 409,
    message: "The command has ended already: its outcome is {outcome}.",
    hint: "Nothing has to be cancelled or approved. Ask for another command to undo what it did.",
    meaning: "A command was to be cancelled, approved or rejected, and has ended already.",
  },
  COMMAND_NOT_RETRYABLE: {
    httpStatus: 409,
    message: "The command is {state}. Only commands that ended without success can be asked for again.",
    hint: "Wait for its end, or ask for a new command.",
    meaning: "The command hasn't ended, or has succeeded.",
  },
  COMMAND_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "Another request came under the same idempotency key before; its command is {id}.",
    hint: "Use a new key for each thing that you want done, and the same one only to repeat a request.",
  },
  COMMAND_NO_AGENT: {
    httpStatus: 409,
    message: 'Cluster "{cluster}" has no agent with the role execute, so nobody would claim the command.',
    hint: "Make a join token with `--role execute` beside its other roles, and enroll an agent with it.",
  },
  COMMAND_NOT_AWAITING: {
    httpStatus: 409,
    message: "The command doesn't wait for approval: it is {state}.",
    hint: "`fairlead run get` says how far it is. An approved command can still be cancelled.",
    meaning:
      "The command doesn't wait for approval, so its plan can't be approved or rejected: the command isn't planned yet, or is already approved.",
    remedy: "See how far it is. An approved command can still be cancelled.",
  },
  COMMAND_PLAN_MISMATCH: {
    httpStatus: 409,
    message: "The digest isn't that of the command's plan, so nothing is approved.",
    hint: "Look at the plan (`fairlead run get`), and approve it by the digest that is shown with it.",
    meaning: "The digest in the approval isn't the digest of the command's plan. Nothing is approved.",
  },
  COMMAND_APPROVER_IS_REQUESTER: {
    httpStatus: 403,
    message: "The person who asked for the command can't approve it.",
    hint: "Ask somebody else who may approve such commands.",
    meaning:
      "The person who asked for a command approves it, and that isn't allowed for this one. A robot counts as one with its makers and their other robots.",
  },
  COMMAND_PLANNING_NOT_AWAITED: {
    httpStatus: 409,
    message: "The command doesn't wait for approval to be planned: it is {state}.",
    hint: "`fairlead run get` shows its state. Approve a plan that is there by its digest.",
    meaning: "The command doesn't wait for approval to be planned: it is in another state.",
    remedy: "See its state. A plan that is there is approved by its digest.",
  },
  COMMAND_PLANNING_UNAPPROVED: {
    httpStatus: 409,
    message: "Nobody approved in time that the command is planned.",
    hint: "Propose it again, and ask somebody who has the right to create such commands to approve planning it.",
    meaning: "Nobody approved in time that a proposal is planned: it has expired, and nothing was done.",
  },
  COMMAND_APPROVED_BEFORE: {
    httpStatus: 409,
    message: "You have approved the plan already, and each person counts once.",
    hint: "It waits for somebody else.",
    meaning: "You, or a robot that counts as one person with you, already approved this plan.",
    remedy: "It waits for others.",
  },
  COMMAND_APPROVAL_EXPIRED: {
    httpStatus: 409,
    message: "The plan wasn't approved in time.",
    hint: "Ask for it again; it gets a new plan. The command's `approvals` say how long a plan waits.",
    meaning:
      "A plan wasn't approved in time: the command has expired. Nothing was done, or, for a later plan of a flow, nothing more than to clean up.",
    remedy: "Ask for it again, with a longer time (`approvals.seconds`, `--approval-time`) if it needs one.",
  },
  COMMAND_REJECTED: {
    message: "{approver} rejected the plan.",
    hint: "The history has the reason, if one was given. Mend what it says, and ask for it again.",
    meaning: "Somebody rejected the plan; the message says who.",
  },
  COMMAND_REQUESTER_UNFIT: {
    message: "{requester} may not ask for such commands any more, so this one wasn't carried out.",
    hint: "Give back the right that was lost, or have somebody else ask for it.",
    meaning:
      "The requester lost the right to ask for the command, or the account or token that it was asked with is gone. The command ended as `rejected` before it began.",
  },
  COMMAND_PLAN_UNREADABLE: {
    message: "The plan can't be shown, so nobody could approve it: it isn't JSON of up to {limitBytes} bytes.",
    hint: "Ask for it in smaller parts.",
    meaning:
      "An agent told a plan that isn't JSON of up to 1 MiB: nobody could be shown it, so the command has failed.",
  },
  COMMAND_CLUSTER_REVOKED: {
    httpStatus: 409,
    message: 'Cluster "{cluster}" is revoked: it takes no commands.',
    hint: "Enroll its agent again with a new join token first.",
  },
  COMMAND_QUEUE_FULL: {
    httpStatus: 429,
    retryable: true,
    message: 'The queue for cluster "{cluster}" is full: {who} may have {limit} in it.',
    hint: "Wait until its agent has done some of it, or cancel what nobody needs any more.",
    meaning:
      "1,000 commands or 64 MiB of specs are queued for the cluster, or half of that by this user. What waits for approval counts, too.",
  },
  COMMAND_UNSIGNABLE: {
    httpStatus: 503,
    message: "This hub has no commands: in a database that others run, the key that signs them must be encrypted.",
    hint: "Start the hub with --key-encryption-key-file (`openssl rand -base64 32`, mode 0600).",
    meaning:
      "The hub has its database elsewhere and no key encryption key, so it keeps no key that signs commands, and has none.",
  },
  /** To agents. */
  COMMAND_ROLE_REQUIRED: {
    httpStatus: 403,
    message: "Only an agent with the role execute may have commands.",
    hint: "Make a join token with --role execute and enroll the agent with it.",
    meaning: "To an agent: it asks about commands without the role `execute`.",
  },
  COMMAND_AGENT_REFUSED: {
    httpStatus: 409,
    message: "The hub doesn't accept this agent as one of its cluster, so it gets no commands: {reason}",
    hint: "See what the hub says about the agent's link: `fairlead cluster get`.",
    remedy: "`fairlead cluster get` says what is wrong with its link.",
  },
  COMMAND_CALL_INVALID: {
    httpStatus: 400,
    message: "The agent's call isn't valid: {reason}.",
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    meaning: "To an agent: its call isn't valid.",
  },
  COMMAND_CALLS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "The agents of this cluster ask more about commands at once than the hub takes.",
    hint: "Agents ask again by themselves.",
    meaning: "To an agent: the agents of its cluster ask more about commands at once than the hub takes.",
    remedy: "Nothing: it asks again.",
  },
  COMMAND_HUB_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping.",
    hint: "Agents come back by themselves.",
    meaning: "To an agent: the hub is stopping.",
    remedy: "Nothing: agents come back by themselves.",
  },
  /** Why a command ended without an agent's word. */
  COMMAND_LEASES_LOST: {
    message: "{claims} agents in turn claimed the command and weren't heard of again. What they did isn't known.",
    hint: "Look at the agent's log and at the cluster before you ask for it again.",
  },
  COMMAND_ABANDONED: {
    message:
      "An agent claimed the command and wasn't heard of again, and no other came for it. What it did isn't known.",
    hint: "Look at the agent's log and at the cluster before you ask for it again.",
    meaning:
      "An agent claimed the command and wasn't heard of again, and an hour after its deadline no other had come for it. What it did isn't known.",
  },
  COMMAND_DEADLINE_PASSED: {
    message: "No agent claimed the command until its deadline.",
    hint: "See if the cluster's agent is connected; a longer deadline waits for it.",
  },
  COMMAND_WITHDRAWN: {
    httpStatus: 409,
    message: "The command was withdrawn: {reason}.",
    hint: "Ask for it again when the cluster is there.",
    meaning: "The command's cluster was revoked or removed, or another one has its name now.",
  },
} as const;

export const commandErrors: Errors<typeof table> = defineErrors(table);
