import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  PROCESS_PROGRAM_MISSING: {
    message: "The program {program} isn't on the agent's PATH.",
    hint: "The agent's image for the role execute has it. An agent that runs as a plain process needs it installed.",
  },
  PROCESS_NOT_STARTED: {
    message: "The program {program} can't be started ({reason}).",
    hint: "Check that the agent's user may run it, and that the machine has room for another process.",
  },
  FENCE_MISSING: {
    message: "Programs of commands can't be fenced here: {reason}.",
    hint: "Install fairlead-runner on the agent's PATH (or name it with --execute-runner), and run the agent as root or where user namespaces are allowed. --execute-unfenced runs programs of commands with all that the agent's user may do on this machine.",
    meaning:
      "The agent finds no way to fence the programs of commands: `fairlead-runner` isn't there, or this system has neither namespaces nor another user for them. Commands of the kinds `helm` and `tofu` aren't claimed.",
  },
  FENCE_UNREACHABLE: {
    message: "The user {uid}, as whom programs of commands run, can't reach {path}: {because} is closed to that user.",
    hint: "Open that folder to others (mode 0711 is enough), or choose another folder with --execute-folder.",
  },
  FENCE_RUNNER_AWAY: {
    message: "The runner doesn't answer on {socket} ({reason}).",
    hint: "Look at the log of the pod's container runner.",
    meaning: "The runner's container doesn't answer on its socket.",
  },
  PROCESS_VERSION_UNFIT: {
    message: "The program {program} on the agent's PATH is of the version {version}; commands need {wanted}.",
    hint: "The agent's image for the role execute has one that fits. Elsewhere install one.",
    meaning: "A program is of a version that commands don't know, or doesn't say which.",
    remedy:
      "The agent's image for the role `execute` has one that fits. Install one where the agent is a plain process.",
  },
  PROCESS_OUTPUT_TOO_LARGE: {
    message: "The program {program} answered with more than {limitBytes} bytes.",
    hint: "Submit it in smaller parts.",
    meaning: "A program answered with more than 64 MiB where its answer is read whole.",
  },
} as const;

export const processErrors: Errors<typeof table> = defineErrors(table);
