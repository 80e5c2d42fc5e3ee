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
