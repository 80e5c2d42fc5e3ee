import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  TOFU_VERSION_UNSUPPORTED: {
    message: "The agent's OpenTofu is {version}; 1.11 or a later 1 is needed.",
    hint: "The agent's image for the role execute has one. An agent that runs as a plain process needs it installed.",
    meaning: "The agent's OpenTofu is older than 1.11, or no 1.",
  },
  TOFU_PATH_MISSING: {
    message: "The source has no folder {path} with files of OpenTofu.",
    hint: "Check source.path, and the commit.",
    meaning: "The source has no such folder, or nothing for OpenTofu in it.",
  },
  TOFU_BACKEND_FOREIGN: {
    message: "{file} keeps its state elsewhere ({backend}); commands keep it in the cluster.",
    hint: "Remove that block, or set replaceBackend: then the block is ignored, and the state in the cluster begins empty.",
    meaning: "A configuration keeps its state elsewhere.",
  },
  TOFU_SOURCE_UNREADABLE: {
    message: "The configuration can't be read before OpenTofu reads it: {where}: {detail}.",
    hint: "Nothing was run. Mend that file; `tofu validate` says more.",
    meaning:
      "A configuration can't be parsed, or a module of it lies outside of the source. It is read before OpenTofu reads it.",
    remedy: "Mend the file that the message names; `tofu validate` says more.",
  },
  TOFU_SOURCE_REFUSED: {
    message: "{where} has {what}, which commands can't use: it calls programs or services before a plan is made.",
    hint: "Use the key provider pbkdf2, or leave the block out: the state is a Secret of the cluster, which the cluster encrypts.",
    meaning: "A configuration encrypts its state by a key provider or method that calls a program or a service.",
  },
  TOFU_PROGRAM_REFUSED: {
    message: "{where} runs a program of the configuration's own ({what}); the policy of this cluster doesn't allow it.",
    hint: "Whoever runs the cluster can allow it with execute.tofu.programs in the agent's policy.",
    meaning:
      'A configuration runs programs of its own (`data "external"`, `local-exec`, `remote-exec`), and the policy of the cluster doesn\'t allow it.',
    remedy: "Set `execute.tofu.programs` in the agent's policy where that is wanted.",
  },
  TOFU_MIRROR_LOCAL: {
    message: "A command can't take providers from a folder of the agent's machine ({wanted}).",
    hint: "Name an https://…/ mirror, or set the folder as the agent's own mirror (--tofu-provider-mirror).",
    meaning: "A command names a folder of the agent's machine as its mirror for providers.",
  },
  TOFU_VARIABLES_INVALID: {
    message: "{where} isn't a JSON object of variables.",
    hint: "What variablesFrom refers to is JSON, such as an object with a member for each variable.",
    meaning: "What `variablesFrom` refers to isn't a JSON object.",
    remedy: "Write one.",
  },
  TOFU_VARIABLES_MISSING: {
    message: "The configuration needs a value for {names}.",
    hint: "Nothing was changed. Set each of these under spec.variables, or in what spec.variablesFrom refers to.",
    meaning: "The configuration has variables without a default, and the command gives no value for them.",
    remedy: "Set each variable that the message names under `variables`, or in what `variablesFrom` refers to.",
  },
  TOFU_LOCKED: {
    message: "The state {state} is locked by {who} since {since} ({operation}, id {id}).",
    hint: "Wait for them (lockTimeoutSeconds). If nobody is at work any more, unlock it with tofu force-unlock and that id.",
    meaning: "Somebody else has locked the state.",
  },
  TOFU_STATE_FOREIGN: {
    message: "The Secret {secret} is there and isn't a state of OpenTofu.",
    hint: "Choose another name, or remove the Secret if nobody needs it.",
  },
  TOFU_INIT_FAILED: {
    message: "OpenTofu can't be prepared: {detail}.",
    hint: "Nothing was changed. The log has all that it said.",
    meaning: "Modules or providers can't be had, or the configuration is broken. Nothing was changed.",
  },
  TOFU_PROVIDER_MISSING: {
    message: "OpenTofu can't get a provider from {place}: {detail}.",
    hint: "Nothing was changed. Put it there in the version that the configuration asks for, or let the agent reach it; a cluster without a way out needs a mirror (--tofu-provider-mirror).",
    meaning:
      "OpenTofu found a provider neither in the mirror nor in a registry, or couldn't fetch it. Nothing was changed.",
  },
  TOFU_MIRROR_FIXED: {
    message: "Providers of this agent come from {mirror}, and not from {wanted}.",
    hint: "Leave providers.mirror out.",
    meaning: "A command names a mirror for providers, and the agent has another one of its own.",
  },
  TOFU_PLAN_FAILED: {
    message: "OpenTofu can't say what would change: {detail}.",
    hint: "Nothing was changed. The log has all that it said.",
    meaning: "OpenTofu can't say what would change. Nothing was changed.",
    remedy: "Mend what the message says.",
  },
  TOFU_APPLY_FAILED: {
    message: "OpenTofu couldn't apply everything: {detail}.",
    hint: "The result and the state have what was done. Mend what the message says and submit it again.",
  },
  TOFU_APPLY_INTERRUPTED: {
    message: "The run that applied the approved plan died on the way; the rest of the plan can't be applied any more.",
    hint: "The state knows what was done. Ask for it again: the next plan has what is left.",
  },
  TOFU_PLAN_TOO_LARGE: {
    message: "The plan is too large to be kept until it is approved: the most is {limitBytes} bytes.",
    hint: "Split the configuration.",
    meaning: "A plan file has more than 32 MiB.",
  },
  TOFU_OUTPUT_MISSING: {
    message: "The configuration has no output {name}.",
    hint: "Everything else was done. Check outputs.names.",
    meaning: "An output of `outputs.names` isn't there. Everything else was done.",
  },
  TOFU_STATE_UNSAVED: {
    message: "The state after this run couldn't be stored ({reason}). It is kept in the Secret {secret}.",
    hint: "The next command for this state stores it first. Until then let nobody else change anything.",
    meaning: "The state after a run couldn't be stored where it belongs; the message says where it is.",
  },
  TOFU_STATE_LOST: {
    message: "The state after this run could be stored nowhere ({reason}).",
    hint: "The run's resources exist, but the state doesn't know all of them. The log names them: import them, or remove them.",
  },
} as const;

export const tofuErrors: Errors<typeof table> = defineErrors(table);
