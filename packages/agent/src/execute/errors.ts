import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_KEYS_MISSING: {
    retryable: true,
    message: "The agent doesn't have the hub's command keys yet, so it claims no commands.",
    hint: "A hub that supports commands sends its keys by itself. To pin keys, name a file that contains them with --command-keys-file.",
    meaning: "`/readyz` and log of an agent: the agent doesn't have the hub's command keys, so it claims no commands.",
    remedy: "Nothing to do: a hub that supports commands sends its keys with each connection.",
  },
  COMMAND_KEYS_FILE_INVALID: {
    message: "The file {path} contains no valid command keys: {detail}.",
    hint: "Write a JWK Set, or one public JWK (Ed25519) per line.",
    meaning:
      "The file named by `--command-keys-file` is missing, or contains something other than public Ed25519 keys. At startup the agent exits; later the previous keys stay in force.",
    remedy: "Correct the key that the message names.",
  },
  COMMAND_HUB_UNABLE: {
    retryable: true,
    message: "The hub doesn't support commands, or isn't connected.",
    hint: "Upgrade the hub if it is older than this agent. The agent checks again with each connection.",
    meaning: "`/readyz` of an agent: the hub doesn't support commands, or isn't connected.",
    remedy: "Wait until the hub is connected again, or upgrade it.",
  },
  COMMAND_UNSIGNED: {
    message: "The command isn't signed correctly: {detail}.",
    hint: "Check the hub's audit log: the command may have been forged between hub and agent.",
    meaning: "A command has no signature, or an invalid one. The agent rejects it.",
    remedy: "Find out who created it.",
  },
  COMMAND_KEY_UNKNOWN: {
    message: "The command is signed with a key that this agent doesn't trust.",
    hint: "If keys are pinned (--command-keys-file), add the hub's new key there.",
    meaning: "A command is signed with a key that the agent doesn't trust. The agent rejects it.",
    remedy: "If keys are pinned, add the hub's new key. Otherwise, find out who created the command.",
  },
  COMMAND_ENVELOPE_INVALID: {
    message: "The command's envelope can't be read.",
    hint: "Compare the versions of hub and agent: they may be too far apart.",
    meaning: "The text of a command is signed, but can't be read. The agent rejects it.",
  },
  COMMAND_RETARGETED: {
    message: "The command was signed for another cluster or under another ID.",
    hint: "Check the hub's audit log: the command may have been moved.",
    meaning: "A command was signed for another cluster or under another ID. The agent rejects it.",
    remedy: "Find out who moved it.",
  },
  COMMAND_EXPIRED: {
    message: "The command expired before it started.",
    hint: "Submit it again. If it expired too early, compare the clocks of hub and cluster.",
    meaning: "A command expired before it started here. The agent rejects it.",
  },
  COMMAND_NOT_YET: {
    message: "The command was signed at a time in the future.",
    hint: "Compare the clocks of hub and cluster.",
    meaning: "A command was signed at a time in the future. The agent rejects it.",
  },
  COMMAND_REPLAYED: {
    message: "The command has already ended in this cluster.",
    hint: "Nothing was done again. Submit a new command to repeat it.",
    meaning: "A command that has already ended in this cluster is offered again. Nothing is done.",
    remedy: "Expected after the hub's database was restored. Submit a new command to repeat it.",
  },
  COMMAND_CHANGED: {
    message: "This cluster has a record of a command with the same ID and different content.",
    hint: "The hub's database may have been restored from a backup. Check what the first command did, and submit a new one.",
    meaning:
      "A command is offered again under its ID with a different kind, spec, service account or dry run. Nothing is done.",
    remedy:
      "Expected after the hub's database was restored; otherwise check the hub's audit log. Submit a new command.",
  },
  COMMAND_KIND_UNAVAILABLE: {
    message: "This agent doesn't run commands of the kind {kind}.",
    hint: "Check execute.kinds in the policy file, and the agent's version.",
    meaning: "The agent doesn't run commands of this kind, or its policy doesn't allow it.",
  },
  COMMAND_ACCOUNT_DENIED: {
    message:
      "The policy of this cluster's agent doesn't allow the command to run with these permissions (rule {rule}): {reason}.",
    hint: "Name a ServiceAccount that the policy file (execute.serviceAccounts) allows.",
    meaning:
      "The policy file (`execute.serviceAccounts`) doesn't allow the command to run with the permissions that it requests. The agent rejects it.",
  },
  COMMAND_ACCOUNT_FORBIDDEN: {
    message: "This agent isn't allowed to run commands as the ServiceAccount {account}.",
    hint: "Give the agent's account permission to impersonate it (the chart's execute.rights.impersonate).",
    meaning:
      "The agent's account isn't allowed to impersonate the ServiceAccount that the command names. The agent rejects the command.",
    remedy: "Give it the permission (`execute.rights.impersonate` of the chart).",
  },
  COMMAND_SPEC_INVALID: {
    message: "The command's spec isn't valid: {detail}.",
    hint: "Correct it and submit the command again.",
    meaning: "A command's spec isn't valid. Nothing was done.",
    remedy: "Correct what the message names.",
  },
  COMMAND_PLAN_STALE: {
    message: "The approved plan is out of date: {detail}.",
    hint: "Nothing was done. Submit the command again, and approve the new plan.",
    meaning: "The approved plan is out of date.",
  },
  COMMAND_PLAN_TOO_LARGE: {
    message: "The plan is larger than {limitBytes} bytes, so it can't be approved.",
    hint: "Nothing was done. Split the command into smaller ones.",
    meaning: "A command's plan is larger than 1 MiB, so it can't be approved.",
  },
  COMMAND_PLAN_MISSING: {
    message: "The command is approved, but this cluster has no record of its plan.",
    hint: "Nothing was done. Submit the command again, and approve the new plan.",
    meaning:
      "A command is approved, but this cluster has no record of its plan: the record was removed, or the agent has another folder now. The agent rejects the command.",
  },
  COMMAND_APPROVAL_MISMATCH: {
    message: "The approved plan differs from the plan on record in this cluster.",
    hint: "Check the hub's audit log: the hub's database may have been changed, or its signature forged.",
    meaning:
      "The plan that the hub reports as approved differs from the plan on record in this cluster. The agent rejects the command.",
  },
  COMMAND_APPROVAL_MISSING: {
    message: "This cluster planned the command for approval, but the command arrived without one.",
    hint: "The hub's database may have been restored from a backup. Check what the command did, and submit a new one.",
    meaning: "A command that this cluster planned for approval arrived without one. The agent rejects it.",
    remedy:
      "Expected after the hub's database was restored from a backup. Check what the command did, and submit a new one.",
  },
  COMMAND_PLAN_APPROVAL_NEEDED: {
    message: "Planning this proposal requires the approval of a user who can create it: {why}.",
    hint: "Request that approval, or have a template vouch for the command. Nothing was read or run.",
    meaning:
      "A [proposal](commands-agent.md#proposals) brings code or needs Secrets, and no user who can create it has approved planning it.",
  },
  COMMAND_PROPOSAL_UNAPPROVED: {
    message: "The command is a proposal, but arrived without the approval that proposals require.",
    hint: "Nothing was done. Ask the hub's operator to check its audit log.",
    meaning: "A proposal arrived at the agent without the approval that every proposal requires. The agent rejects it.",
    remedy: "Check the hub's audit log: the hub's database may have been changed, or its signature forged.",
  },
  COMMAND_LEASE_LOST: {
    retryable: true,
    message: "The agent lost its claim on the command; another agent may have it.",
    hint: "Nothing to do: the next agent that claims the command resumes where this one stopped.",
    meaning: "An agent lost its claim on a command while it ran. It stops before its next step and reports nothing.",
    remedy: "Nothing to do: the agent with the claim continues. If this happens often, check the link.",
  },
  COMMAND_CANCELLED: {
    message: "The command was cancelled.",
    hint: "See its result and its log for what it did before.",
  },
  COMMAND_AGENT_STOPS: {
    retryable: true,
    message: "The agent is stopping.",
    hint: "Nothing to do: the next agent resumes where this one stopped.",
    meaning: "The agent stopped while a command was running. The next agent resumes it.",
  },
  COMMAND_STATE_TOO_LARGE: {
    message: "The command needs to store more than {limitBytes} bytes of state.",
    hint: "Split it into smaller commands.",
    meaning: "A command needs to store more than 32 MiB of state.",
  },
  COMMAND_RESULT_TOO_LARGE: {
    message: "The command did its work, but its result is larger than {limitBytes} bytes and is left out.",
    hint: "See the log for what the command did.",
    meaning: "A command did its work, but its result is larger than 1 MiB and is left out.",
  },
  COMMAND_FOLDER_UNUSABLE: {
    message: "The folder {folder} for logs of commands can't be used.",
    hint: "Name a folder that the agent's user can write to with --execute-folder.",
    meaning: "The folder of `--execute-folder` can't be created. The agent doesn't start.",
  },
  COMMAND_RECORD_FAILED: {
    retryable: true,
    message: "The record of a command can't be stored in {place} ({reason}).",
    hint: "Give the agent the permissions on Secrets in its own namespace that its chart sets.",
    meaning: "The record of a command can't be read or written. No command starts without a record.",
  },
  COMMAND_RECORD_INVALID: {
    message: "The record of a command in {place} can't be read.",
    hint: "The record may have been changed. Check what the command did before you remove the record.",
    meaning: "The record of a command is damaged.",
  },
  COMMAND_FAILED: {
    message: "The command failed with an unexpected error.",
    hint: "See the agent's log for details.",
    remedy: "See the agent's log for details; secret values are masked.",
  },
} as const;

export const executeErrors: Errors<typeof table> = defineErrors(table);
