import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  PROCESS_PROGRAM_MISSING: {
    message: "The program {program} isn't on the agent's PATH.",
    hint: "The agent's image for the role execute includes it. If the agent runs as a plain process, install it.",
  },
  PROCESS_NOT_STARTED: {
    message: "The program {program} can't be started ({reason}).",
    hint: "Check that the agent's user may run it, and that the machine can start another process.",
  },
  FENCE_MISSING: {
    message: "The agent can't isolate the programs of commands: {reason}.",
    hint: "Install fairlead-runner on the agent's PATH (or name it with --execute-runner), and run the agent as root or where user namespaces are allowed. --execute-unfenced runs programs without isolation, with all permissions of the agent's user on this machine.",
    meaning:
      "The agent can't isolate the programs of commands: `fairlead-runner` is missing, or this system has neither namespaces nor another user for them. The agent doesn't claim commands of the kinds `helm` and `tofu`.",
  },
  FENCE_UNREACHABLE: {
    message:
      "The user {uid}, which runs the programs of commands, can't access {path}: {because} is closed to that user.",
    hint: "Open that folder to other users (mode 0711 is enough), or choose another folder with --execute-folder.",
  },
  FENCE_RUNNER_AWAY: {
    message: "The runner doesn't answer on {socket} ({reason}).",
    hint: "Check the log of the pod's container runner.",
    meaning: "The runner's container doesn't answer on its socket.",
  },
  PROCESS_VERSION_UNFIT: {
    message: "The program {program} on the agent's PATH has version {version}; commands need {wanted}.",
    hint: "The agent's image for the role execute includes a suitable version. If the agent runs as a plain process, install one.",
    meaning: "A program has a version that commands don't support, or doesn't report its version.",
  },
  PROCESS_OUTPUT_TOO_LARGE: {
    message: "The program {program} wrote more than {limitBytes} bytes of output.",
    hint: "Split the command into smaller ones.",
    meaning: "A program wrote more than 64 MiB where the agent reads the output as a whole.",
  },
} as const;

export const processErrors: Errors<typeof table> = defineErrors(table);
