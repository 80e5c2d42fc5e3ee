import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See the hub's OpenAPI document for every operation, and docs/commands.md for the spec of each kind.",
    meaning: "The request or its spec is invalid; the message says where.",
  },
  COMMAND_SPEC_TOO_LARGE: {
    httpStatus: 413,
    message: "The spec has {sizeBytes} bytes; the limit is {limitBytes} bytes.",
    hint: "Split it into several commands, each with its own set.",
    meaning: "The spec is larger than 3 MiB.",
  },
  COMMAND_SPEC_UNUSABLE: {
    httpStatus: 400,
    message: "No agent can run this spec: {fault}.",
    hint: "Remove NUL characters, and replace YAML aliases with the text that they repeat.",
    meaning:
      "The spec contains a NUL character, YAML aliases that expand too much, or too many YAML aliases in a long text.",
  },
  COMMAND_NOT_FOUND: {
    httpStatus: 404,
    message: "The command doesn't exist, or you can't see it.",
    hint: "List the commands that you can see: `GET /api/v1/commands`. The hub deletes a command 30 days after its end.",
  },
  COMMAND_ENDED: {
    httpStatus: 409,
    message: "The command has already ended: its outcome is {outcome}.",
    hint: "To undo its changes, create another command.",
    meaning: "The command has already ended, so it can't be cancelled, approved or rejected.",
  },
  COMMAND_NOT_RETRYABLE: {
    httpStatus: 409,
    message: "The command is {state}. Only a command that ended without success can be retried.",
    hint: "Wait until it ends, or create a new command.",
    meaning: "The command hasn't ended, or it succeeded.",
  },
  COMMAND_IDEMPOTENCY_MISMATCH: {
    httpStatus: 409,
    message: "The idempotency key was already used for a different request; its command is {id}.",
    hint: "Use a new key for each new request, and the same key only to repeat a request.",
  },
  COMMAND_NO_AGENT: {
    httpStatus: 409,
    message: 'Cluster "{cluster}" has no agent with the role execute to run the command.',
    hint: "Create a join token with `--role execute` and the agent's other roles, and enroll the agent with it.",
  },
  COMMAND_NOT_AWAITING: {
    httpStatus: 409,
    message: "The command isn't waiting for approval: it is {state}.",
    hint: "See its progress with `fairlead run get`. You can still cancel an approved command.",
    meaning:
      "The command isn't waiting for approval, so its plan can't be approved or rejected: the plan isn't ready, or it's already approved.",
    remedy: "See its progress with `fairlead run get`. You can still cancel an approved command.",
  },
  COMMAND_PLAN_MISMATCH: {
    httpStatus: 409,
    message: "The digest doesn't match the command's plan, so nothing was approved.",
    hint: "Read the plan (`fairlead run get`), and approve it with the digest that it shows.",
    meaning: "The digest in the approval doesn't match the command's plan. Nothing was approved.",
  },
  COMMAND_APPROVER_IS_REQUESTER: {
    httpStatus: 403,
    message: "The requester of a command can't approve it.",
    hint: "Ask another user who can approve such commands.",
    meaning:
      "The requester can't approve this command. A robot, its creators and their other robots count as one person.",
  },
  COMMAND_PLANNING_NOT_AWAITED: {
    httpStatus: 409,
    message: "The command isn't waiting for approval to be planned: it is {state}.",
    hint: "See its state with `fairlead run get`. Approve an existing plan by its digest.",
    meaning: "The command isn't waiting for approval to be planned: it is in another state.",
    remedy: "See its state with `fairlead run get`. Approve an existing plan by its digest.",
  },
  COMMAND_PLANNING_UNAPPROVED: {
    httpStatus: 409,
    message: "The proposal expired before its planning was approved.",
    hint: "Propose it again, and ask a user who can create such commands to approve planning it.",
    meaning: "The proposal expired before its planning was approved. Nothing was done.",
  },
  COMMAND_APPROVED_BEFORE: {
    httpStatus: 409,
    message: "You already approved this plan.",
    hint: "Another user must approve it.",
    meaning: "You, or a robot that counts as one person with you, already approved this plan.",
    remedy: "Another user must approve it.",
  },
  COMMAND_APPROVAL_EXPIRED: {
    httpStatus: 409,
    message: "The plan expired before it was approved.",
    hint: "Create the command again; it gets a new plan. Its `approvals` set how long a plan waits.",
    meaning:
      "The plan expired before it was approved. Nothing was done; if it was a later plan of a flow, the flow only cleaned up.",
    remedy: "Create the command again, with a longer approval time (`approvals.seconds`, `--approval-time`) if needed.",
  },
  COMMAND_REJECTED: {
    message: "{approver} rejected the plan.",
    hint: "If the approver gave a reason, it's in the command's history. Correct the request and create it again.",
    meaning: "An approver rejected the plan; the message names them.",
  },
  COMMAND_REQUESTER_UNFIT: {
    message: "{requester} is no longer allowed to create such commands, so this one didn't run.",
    hint: "Restore the missing right, or ask another user to create the command.",
    meaning:
      "The requester lost the right to create the command, or the requester's account or token no longer exists. The command ended as `rejected` before it started.",
  },
  COMMAND_PLAN_UNREADABLE: {
    message: "The plan can't be shown for approval: it isn't JSON of at most {limitBytes} bytes.",
    hint: "Split the command into smaller ones.",
    meaning:
      "An agent reported a plan that isn't JSON of at most 1 MiB. The command failed, because the plan can't be shown for approval.",
  },
  COMMAND_CLUSTER_REVOKED: {
    httpStatus: 409,
    message: 'Cluster "{cluster}" is revoked and accepts no commands.',
    hint: "Enroll its agent again with a new join token.",
  },
  COMMAND_QUEUE_FULL: {
    httpStatus: 429,
    retryable: true,
    message: 'The queue for cluster "{cluster}" is full: the limit for {who} is {limit}.',
    hint: "Wait until its agent has run some commands, or cancel the ones that aren't needed.",
    meaning:
      "1,000 commands or 64 MiB of specs are queued for the cluster, or half of that by this user. Commands that wait for approval count, too.",
  },
  COMMAND_UNSIGNABLE: {
    httpStatus: 503,
    message: "This hub can't run commands: with an external database, the key that signs them must be encrypted.",
    hint: "Start the hub with --key-encryption-key-file (`openssl rand -base64 32`, mode 0600).",
    meaning:
      "The hub has an external database and no key encryption key, so it has no key to sign commands with and can't run them.",
  },
  /** To agents. */
  COMMAND_ROLE_REQUIRED: {
    httpStatus: 403,
    message: "Only an agent with the role execute can get commands.",
    hint: "Create a join token with --role execute and enroll the agent with it.",
    meaning: "To an agent: it requested commands without the role `execute`.",
  },
  COMMAND_AGENT_REFUSED: {
    httpStatus: 409,
    message: "The hub doesn't accept this agent as one of its cluster, so it sends no commands: {reason}",
    hint: "See the problem with the agent's link: `fairlead cluster get`.",
    remedy: "See the problem with the agent's link: `fairlead cluster get`.",
    meaning: "The hub doesn't accept this agent as one of its cluster, so it sends no commands; the message says why.",
  },
  COMMAND_CALL_INVALID: {
    httpStatus: 400,
    message: "The agent's call is invalid: {reason}.",
    hint: "Hub and agent can be up to two minor versions apart: update the older one.",
    meaning: "To an agent: its call is invalid.",
  },
  COMMAND_CALLS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "The cluster's agents make more command calls at once than the hub accepts.",
    hint: "No action needed: agents retry automatically.",
    meaning: "To an agent: its cluster's agents make more command calls at once than the hub accepts.",
    remedy: "No action needed: the agent retries.",
  },
  COMMAND_HUB_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping.",
    hint: "No action needed: agents reconnect automatically.",
    meaning: "To an agent: the hub is stopping.",
    remedy: "No action needed: agents reconnect automatically.",
  },
  /** Why a command ended without an agent's word. */
  COMMAND_LEASES_LOST: {
    message: "{claims} agents in turn claimed the command and then disappeared. Its effects are unknown.",
    hint: "Check the agent's log and the cluster before you create the command again.",
  },
  COMMAND_ABANDONED: {
    message: "An agent claimed the command and disappeared, and no other agent claimed it. Its effects are unknown.",
    hint: "Check the agent's log and the cluster before you create the command again.",
    meaning:
      "An agent claimed the command and disappeared, and no other agent claimed it until an hour after its deadline. Its effects are unknown.",
  },
  COMMAND_DEADLINE_PASSED: {
    message: "No agent claimed the command before its deadline.",
    hint: "Check that the cluster's agent is connected, or set a longer deadline.",
  },
  COMMAND_WITHDRAWN: {
    httpStatus: 409,
    message: "The command was withdrawn: {reason}.",
    hint: "Create the command again when the cluster is available.",
    meaning: "The command's cluster was revoked or removed, or another cluster now has its name.",
  },
} as const;

export const commandErrors: Errors<typeof table> = defineErrors(table);
