import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_KEYS_MISSING: {
    retryable: true,
    message: "The hub hasn't told this agent its keys for commands yet, so no command is claimed.",
    hint: "A hub that has commands tells its keys by itself. To pin keys, name a file with them: --command-keys-file.",
  },
  COMMAND_KEYS_FILE_INVALID: {
    message: "The file {path} holds no keys of commands: {detail}.",
    hint: "It holds a JWK Set, or one public JWK (Ed25519) a line.",
  },
  COMMAND_HUB_UNABLE: {
    retryable: true,
    message: "The hub has no commands for agents, or isn't connected.",
    hint: "A hub of this version has them; the agent looks again with each connection.",
  },
  COMMAND_UNSIGNED: {
    message: "The command isn't signed as it should be: {detail}.",
    hint: "Somebody between hub and agent may have made it. Look at the hub's audit log.",
  },
  COMMAND_KEY_UNKNOWN: {
    message: "The command is signed by a key that this agent doesn't trust.",
    hint: "Where keys are pinned (--command-keys-file), the hub's new key has to be added there.",
  },
  COMMAND_ENVELOPE_INVALID: {
    message: "The command's envelope can't be read.",
    hint: "Hub and agent may be too many versions apart.",
  },
  COMMAND_RETARGETED: {
    message: "The command was signed for another cluster or under another id.",
    hint: "Somebody may have moved it. Look at the hub's audit log.",
  },
  COMMAND_EXPIRED: {
    message: "The command's time was over before it was begun.",
    hint: "Submit it again. If its time wasn't over, compare the clocks of hub and cluster.",
  },
  COMMAND_NOT_YET: {
    message: "The command was signed at a time that is still to come.",
    hint: "Compare the clocks of hub and cluster.",
  },
  COMMAND_REPLAYED: {
    message: "The command has ended in this cluster before.",
    hint: "Nothing was done again. Submit a new one to have it done again.",
  },
  COMMAND_KIND_UNAVAILABLE: {
    message: "This agent doesn't run commands of the kind {kind}.",
    hint: "The policy file's execute.kinds, or the agent's version, says which it runs.",
  },
  COMMAND_ACCOUNT_DENIED: {
    message:
      "The policy of this cluster's agent doesn't let the command run with these rights (rule {rule}): {reason}.",
    hint: "Name a service account that the policy file (execute.serviceAccounts) allows.",
  },
  COMMAND_ACCOUNT_FORBIDDEN: {
    message: "This agent may not run commands as the service account {account}.",
    hint: "Its own account needs the right to impersonate it (the chart's execute.rights.impersonate).",
  },
  COMMAND_SPEC_INVALID: {
    message: "The command's spec isn't valid: {detail}.",
    hint: "Mend it and submit it again.",
  },
  COMMAND_PLAN_STALE: {
    message: "The approved plan isn't up to date any more: {detail}.",
    hint: "Nothing was done. Ask for it again, and approve the new plan.",
  },
  COMMAND_PLAN_TOO_LARGE: {
    message: "The plan has more than {limitBytes} bytes, so nobody could approve it.",
    hint: "Nothing was done. Submit it in smaller parts.",
  },
  COMMAND_PLAN_MISSING: {
    message: "The command is approved, but this cluster has no record of its plan.",
    hint: "Nothing was done. Ask for it again, and approve the new plan.",
  },
  COMMAND_APPROVAL_MISMATCH: {
    message: "The approved plan isn't the one that this cluster has on record.",
    hint: "Somebody may have changed the hub's database or signed in its name. Look at the hub's audit log.",
  },
  COMMAND_APPROVAL_MISSING: {
    message: "This cluster planned the command for approval, and now it comes without one.",
    hint: "The hub's database may have been put back to a backup. Look at what the command did, and ask for a new one.",
  },
  COMMAND_PLAN_APPROVAL_NEEDED: {
    message: "Planning this proposal needs an approval by somebody who may create it: {why}.",
    hint: "Nothing was read or run for it. Ask for that approval, or have a template vouch for the command.",
  },
  COMMAND_PROPOSAL_UNAPPROVED: {
    message: "The command is a proposal, and comes without the approval that proposals need.",
    hint: "Nothing was done. Ask the hub's operator to look at its audit log.",
  },
  COMMAND_LEASE_LOST: {
    retryable: true,
    message: "The claim on the command is over; another agent may have it.",
    hint: "The next agent that claims it goes on where this one stopped.",
  },
  COMMAND_CANCELLED: {
    message: "The command was cancelled.",
    hint: "What it had done until then is in its result and its log.",
  },
  COMMAND_AGENT_STOPS: {
    retryable: true,
    message: "The agent stops.",
    hint: "The next one goes on where it stopped.",
  },
  COMMAND_STATE_TOO_LARGE: {
    message: "The command has to remember more than {limitBytes} bytes.",
    hint: "Submit it in smaller parts.",
  },
  COMMAND_RESULT_TOO_LARGE: {
    message: "The command did its work; its result is larger than {limitBytes} bytes and is left out.",
    hint: "The log has what it did.",
  },
  COMMAND_FOLDER_UNUSABLE: {
    message: "The folder {folder}, where the logs of commands wait, can't be used.",
    hint: "Name a folder that the agent's user may write to: --execute-folder.",
  },
  COMMAND_RECORD_FAILED: {
    retryable: true,
    message: "The record of a command can't be kept in {place} ({reason}).",
    hint: "The agent needs the rights on Secrets in its own namespace that its chart gives it.",
  },
  COMMAND_RECORD_INVALID: {
    message: "The record of a command in {place} can't be read.",
    hint: "Somebody may have changed it. Look at what the command did before you remove the record.",
  },
  COMMAND_FAILED: {
    message: "The command failed with an unexpected error.",
    hint: "The log of the agent has more.",
  },
} as const;

export const executeErrors: Errors<typeof table> = defineErrors(table);
