import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  COMMAND_KEYS_MISSING: {
    retryable: true,
    message: "The hub hasn't told this agent its keys for commands yet, so no command is claimed.",
    hint: "A hub that has commands tells its keys by itself. To pin keys, name a file with them: --command-keys-file.",
    meaning: "`/readyz` and log of an agent: it doesn't know the hub's keys for commands, so it claims none.",
    remedy: "A hub that has commands tells its keys with each connection.",
  },
  COMMAND_KEYS_FILE_INVALID: {
    message: "The file {path} holds no keys of commands: {detail}.",
    hint: "It holds a JWK Set, or one public JWK (Ed25519) a line.",
    meaning:
      "The file of `--command-keys-file` isn't there, or holds something else than public Ed25519 keys. At the start the agent ends; later the keys of before stay.",
    remedy: "The message says which key.",
  },
  COMMAND_HUB_UNABLE: {
    retryable: true,
    message: "The hub has no commands for agents, or isn't connected.",
    hint: "A hub of this version has them; the agent looks again with each connection.",
    meaning: "`/readyz` of an agent: the hub has no commands for agents, or isn't connected.",
    remedy: "It passes by itself when the hub is back, or upgraded.",
  },
  COMMAND_UNSIGNED: {
    message: "The command isn't signed as it should be: {detail}.",
    hint: "Somebody between hub and agent may have made it. Look at the hub's audit log.",
    meaning: "A command isn't signed, or not as it should be. It is refused.",
    remedy: "Find out who made it.",
  },
  COMMAND_KEY_UNKNOWN: {
    message: "The command is signed by a key that this agent doesn't trust.",
    hint: "Where keys are pinned (--command-keys-file), the hub's new key has to be added there.",
    meaning: "A command is signed by a key that the agent doesn't trust. It is refused.",
    remedy: "Where keys are pinned, add the hub's new one. Otherwise find out who made the command.",
  },
  COMMAND_ENVELOPE_INVALID: {
    message: "The command's envelope can't be read.",
    hint: "Hub and agent may be too many versions apart.",
    meaning: "The text of a command is signed, but can't be read. It is refused.",
  },
  COMMAND_RETARGETED: {
    message: "The command was signed for another cluster or under another id.",
    hint: "Somebody may have moved it. Look at the hub's audit log.",
    meaning: "A command was signed for another cluster or under another id. It is refused.",
    remedy: "Find out who moved it.",
  },
  COMMAND_EXPIRED: {
    message: "The command's time was over before it was begun.",
    hint: "Submit it again. If its time wasn't over, compare the clocks of hub and cluster.",
    meaning: "A command's time was over before it was begun here. It is refused.",
  },
  COMMAND_NOT_YET: {
    message: "The command was signed at a time that is still to come.",
    hint: "Compare the clocks of hub and cluster.",
    meaning: "A command was signed at a time that is still to come. It is refused.",
  },
  COMMAND_REPLAYED: {
    message: "The command has ended in this cluster before.",
    hint: "Nothing was done again. Submit a new one to have it done again.",
    meaning: "A command that has ended in this cluster is offered again. Nothing is done.",
    remedy: "Expected after a hub's database was put back; submit a new command to have it done again.",
  },
  COMMAND_CHANGED: {
    message: "This cluster has a record of a command with the same id that asked for something else.",
    hint: "The hub's database may have been put back to a backup. Look at what the first one did, and submit a new command.",
    meaning: "A command comes again under its id with another kind, spec, service account or dry run. Nothing is done.",
    remedy:
      "Expected after a hub's database was put back; otherwise look at the hub's audit log. Submit a new command.",
  },
  COMMAND_KIND_UNAVAILABLE: {
    message: "This agent doesn't run commands of the kind {kind}.",
    hint: "The policy file's execute.kinds, or the agent's version, says which it runs.",
    meaning: "The agent doesn't run commands of this kind, or its policy doesn't allow it.",
  },
  COMMAND_ACCOUNT_DENIED: {
    message:
      "The policy of this cluster's agent doesn't let the command run with these rights (rule {rule}): {reason}.",
    hint: "Name a service account that the policy file (execute.serviceAccounts) allows.",
    meaning:
      "The policy file (`execute.serviceAccounts`) doesn't let the command run with the rights that it asks for. It is refused.",
  },
  COMMAND_ACCOUNT_FORBIDDEN: {
    message: "This agent may not run commands as the service account {account}.",
    hint: "Its own account needs the right to impersonate it (the chart's execute.rights.impersonate).",
    meaning: "The agent's account may not impersonate the ServiceAccount that the command names. It is refused.",
    remedy: "Give it the right (`execute.rights.impersonate` of the chart).",
  },
  COMMAND_SPEC_INVALID: {
    message: "The command's spec isn't valid: {detail}.",
    hint: "Mend it and submit it again.",
    meaning: "A command's spec can't be carried out. Nothing was done.",
    remedy: "The message says what to mend.",
  },
  COMMAND_PLAN_STALE: {
    message: "The approved plan isn't up to date any more: {detail}.",
    hint: "Nothing was done. Ask for it again, and approve the new plan.",
    meaning: "The approved plan isn't up to date any more. Nothing was done.",
  },
  COMMAND_PLAN_TOO_LARGE: {
    message: "The plan has more than {limitBytes} bytes, so nobody could approve it.",
    hint: "Nothing was done. Submit it in smaller parts.",
    meaning: "A command's plan has more than 1 MiB, so nobody could approve it. Nothing was done.",
  },
  COMMAND_PLAN_MISSING: {
    message: "The command is approved, but this cluster has no record of its plan.",
    hint: "Nothing was done. Ask for it again, and approve the new plan.",
    meaning:
      "A command is approved, but this cluster has no record of its plan: the record was removed, or the agent has another folder now. It is refused.",
  },
  COMMAND_APPROVAL_MISMATCH: {
    message: "The approved plan isn't the one that this cluster has on record.",
    hint: "Somebody may have changed the hub's database or signed in its name. Look at the hub's audit log.",
    meaning:
      "The plan that the hub says is approved isn't the one that this cluster has on record. The command is refused.",
  },
  COMMAND_APPROVAL_MISSING: {
    message: "This cluster planned the command for approval, and now it comes without one.",
    hint: "The hub's database may have been put back to a backup. Look at what the command did, and ask for a new one.",
    meaning: "A command that this cluster planned for approval comes without one. It is refused.",
    remedy:
      "Expected after the hub's database was put back to a backup. See what the command did, and ask for a new one.",
  },
  COMMAND_PLAN_APPROVAL_NEEDED: {
    message: "Planning this proposal needs an approval by somebody who may create it: {why}.",
    hint: "Nothing was read or run for it. Ask for that approval, or have a template vouch for the command.",
    meaning:
      "A [proposal](commands-agent.md#proposals) brings code or needs Secrets, and nobody who may create it has approved planning it. Nothing was read or run for it.",
  },
  COMMAND_PROPOSAL_UNAPPROVED: {
    message: "The command is a proposal, and comes without the approval that proposals need.",
    hint: "Nothing was done. Ask the hub's operator to look at its audit log.",
    meaning: "A proposal comes to the agent without the approval that every proposal needs. It is refused.",
    remedy: "Somebody may have changed the hub's database, or signed in its name. See the hub's audit log.",
  },
  COMMAND_LEASE_LOST: {
    retryable: true,
    message: "The claim on the command is over; another agent may have it.",
    hint: "The next agent that claims it goes on where this one stopped.",
    meaning: "An agent lost its claim on a command while it ran: it stops before its next step and reports nothing.",
    remedy: "Nothing: the agent with the claim goes on. If it happens often, look at the link.",
  },
  COMMAND_CANCELLED: {
    message: "The command was cancelled.",
    hint: "What it had done until then is in its result and its log.",
  },
  COMMAND_AGENT_STOPS: {
    retryable: true,
    message: "The agent stops.",
    hint: "The next one goes on where it stopped.",
    meaning: "The agent stops while a command runs. It is left for the next one.",
    remedy: "Nothing: the next agent goes on.",
  },
  COMMAND_STATE_TOO_LARGE: {
    message: "The command has to remember more than {limitBytes} bytes.",
    hint: "Submit it in smaller parts.",
    meaning: "A command has to remember more than 32 MiB.",
  },
  COMMAND_RESULT_TOO_LARGE: {
    message: "The command did its work; its result is larger than {limitBytes} bytes and is left out.",
    hint: "The log has what it did.",
    meaning: "A command did its work, and its result is larger than 1 MiB: it is left out.",
    remedy: "The log has what was done.",
  },
  COMMAND_FOLDER_UNUSABLE: {
    message: "The folder {folder}, where the logs of commands wait, can't be used.",
    hint: "Name a folder that the agent's user may write to: --execute-folder.",
    meaning: "The folder of `--execute-folder` can't be made. The agent doesn't start.",
  },
  COMMAND_RECORD_FAILED: {
    retryable: true,
    message: "The record of a command can't be kept in {place} ({reason}).",
    hint: "The agent needs the rights on Secrets in its own namespace that its chart gives it.",
    meaning: "The record of a command can't be read or written. Nothing is begun without one.",
  },
  COMMAND_RECORD_INVALID: {
    message: "The record of a command in {place} can't be read.",
    hint: "Somebody may have changed it. Look at what the command did before you remove the record.",
    meaning: "The record of a command is damaged.",
  },
  COMMAND_FAILED: {
    message: "The command failed with an unexpected error.",
    hint: "The log of the agent has more.",
    remedy: "The agent's log has it, masked.",
  },
} as const;

export const executeErrors: Errors<typeof table> = defineErrors(table);
