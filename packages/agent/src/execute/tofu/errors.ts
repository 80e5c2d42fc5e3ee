import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  TOFU_VERSION_UNSUPPORTED: {
    message: "The agent's OpenTofu is {version}, but commands need version 1.11 or a later 1.x.",
    hint: "The agent's image for the role execute includes OpenTofu. If the agent runs as a plain process, install it.",
    meaning: "The agent's OpenTofu is older than 1.11, or isn't a version 1.x.",
  },
  TOFU_PATH_MISSING: {
    message: "The source has no folder {path} with OpenTofu files.",
    hint: "Check source.path and the commit.",
    meaning: "The source doesn't have the folder, or the folder contains no OpenTofu files.",
  },
  TOFU_BACKEND_FOREIGN: {
    message: "{file} stores the state elsewhere ({backend}), but commands store it in the cluster.",
    hint: "Remove that block, or set replaceBackend to ignore it: the state in the cluster then starts empty.",
    meaning: "A configuration stores its state outside the cluster.",
  },
  TOFU_SOURCE_UNREADABLE: {
    message: "The agent can't read the configuration: {where}: {detail}.",
    hint: "Correct that file; `tofu validate` gives more details. Nothing was run.",
    meaning:
      "A configuration can't be parsed, or one of its modules is outside the source. The agent checks this before OpenTofu runs.",
    remedy: "Correct the file that the message names; `tofu validate` gives more details.",
  },
  TOFU_SOURCE_REFUSED: {
    message:
      "{where} has {what}, which commands can't use because it calls programs or services before a plan is made.",
    hint: "Use the key provider pbkdf2, or remove the block: the state is a Secret, which the cluster encrypts.",
    meaning: "A configuration encrypts its state with a key provider or method that calls a program or a service.",
  },
  TOFU_PROGRAM_REFUSED: {
    message:
      "{where} runs a program of the configuration's own ({what}), which the policy of this cluster doesn't allow.",
    hint: "Ask the cluster's operator to allow it with execute.tofu.programs in the agent's policy.",
    meaning:
      'A configuration runs programs of its own (`data "external"`, `local-exec`, `remote-exec`), which the policy of the cluster doesn\'t allow.',
    remedy: "Set `execute.tofu.programs` in the agent's policy to allow such programs.",
  },
  TOFU_MIRROR_LOCAL: {
    message: "A command can't use a folder on the agent's machine as its provider mirror ({wanted}).",
    hint: "Name an https://…/ mirror, or set the folder as the agent's own mirror (--tofu-provider-mirror).",
    meaning: "A command names a folder on the agent's machine as its provider mirror.",
  },
  TOFU_VARIABLES_INVALID: {
    message: "{where} isn't a JSON object of variables.",
    hint: "Write one JSON object, with a member for each variable, into the key that variablesFrom refers to.",
    meaning: "The value that `variablesFrom` refers to isn't a JSON object.",
  },
  TOFU_VARIABLES_MISSING: {
    message: "The configuration needs a value for {names}.",
    hint: "Set each of these in spec.variables, or in the value that spec.variablesFrom refers to. Nothing was changed.",
    meaning: "The configuration has variables without a default, and the command sets no value for them.",
    remedy: "Set each variable that the message names in `variables`, or in the value that `variablesFrom` refers to.",
  },
  TOFU_LOCKED: {
    message: "The state {state} is locked by {who} since {since} ({operation}, id {id}).",
    hint: "Wait (lockTimeoutSeconds). If the lock is abandoned, remove it with tofu force-unlock and that id.",
    meaning: "Another process has locked the state.",
  },
  TOFU_STATE_FOREIGN: {
    message: "The Secret {secret} already exists and isn't an OpenTofu state.",
    hint: "Choose another name, or delete the Secret if it is no longer needed.",
  },
  TOFU_INIT_FAILED: {
    message: "OpenTofu can't initialize the configuration: {detail}.",
    hint: "Nothing was changed. See the log for OpenTofu's full output.",
    meaning: "Modules or providers aren't available, or the configuration is broken.",
  },
  TOFU_PROVIDER_MISSING: {
    message: "OpenTofu can't get a provider from {place}: {detail}.",
    hint: "Put it there in the version that the configuration requires, or allow the agent to reach it. A cluster without internet access needs a mirror (--tofu-provider-mirror). Nothing was changed.",
    meaning: "OpenTofu found a provider neither in the mirror nor in a registry, or couldn't download it.",
  },
  TOFU_MIRROR_FIXED: {
    message: "This agent gets providers from {mirror}, not from {wanted}.",
    hint: "Remove providers.mirror.",
    meaning: "A command names a provider mirror, but the agent has a mirror of its own.",
  },
  TOFU_PLAN_FAILED: {
    message: "OpenTofu can't make a plan: {detail}.",
    hint: "Nothing was changed. See the log for OpenTofu's full output.",
    meaning: "OpenTofu can't make a plan. Nothing was changed.",
    remedy: "Correct what the message names.",
  },
  TOFU_APPLY_FAILED: {
    message: "OpenTofu couldn't apply all changes: {detail}.",
    hint: "The result and the state show what was applied. Correct what the message names, and submit the command again.",
  },
  TOFU_APPLY_INTERRUPTED: {
    message:
      "The run that applied the approved plan was interrupted, and the rest of the plan can no longer be applied.",
    hint: "Submit the command again: the next plan contains the remaining changes. The state shows what was applied.",
  },
  TOFU_PLAN_TOO_LARGE: {
    message: "The plan is larger than {limitBytes} bytes, so it can't be stored until it is approved.",
    hint: "Split the configuration.",
    meaning: "A plan file is larger than 32 MiB.",
  },
  TOFU_OUTPUT_MISSING: {
    message: "The configuration has no output {name}.",
    hint: "Check outputs.names. Everything else was done.",
    meaning: "An output that `outputs.names` lists doesn't exist.",
  },
  TOFU_STATE_UNSAVED: {
    message: "The new state couldn't be stored ({reason}). It is kept in the Secret {secret}.",
    hint: "The next command for this state stores it first. Until then, make no changes with other tools.",
    meaning: "The new state couldn't be stored in its place; the message says where it is kept.",
  },
  TOFU_STATE_LOST: {
    message: "The new state couldn't be stored anywhere ({reason}).",
    hint: "The run's resources exist, but the state doesn't contain all of them. Import or remove the resources that the log names.",
  },
} as const;

export const tofuErrors: Errors<typeof table> = defineErrors(table);
