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
  },
  FENCE_UNREACHABLE: {
    message: "The user {uid}, as whom programs of commands run, can't reach {path}: {because} is closed to that user.",
    hint: "Open that folder to others (mode 0711 is enough), or choose another folder with --execute-folder.",
  },
  FENCE_RUNNER_AWAY: {
    message: "The runner doesn't answer on {socket} ({reason}).",
    hint: "Look at the log of the pod's container runner.",
  },
  PROCESS_VERSION_UNFIT: {
    message: "The program {program} on the agent's PATH is of the version {version}; commands need {wanted}.",
    hint: "The agent's image for the role execute has one that fits. Elsewhere install one.",
  },
  PROCESS_OUTPUT_TOO_LARGE: {
    message: "The program {program} answered with more than {limitBytes} bytes.",
    hint: "Submit it in smaller parts.",
  },
} as const;

export const processErrors: Errors<typeof table> = defineErrors(table);
