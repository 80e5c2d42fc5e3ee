import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_PROGRAM_MISSING: {
    message: "The program '{program}' can't be started.",
    hint: "Install it and add it to your PATH: '{program} version' must work.",
    meaning: "The program kubectl or helm can't be started.",
  },
  CLI_PROGRAM_HUNG: {
    retryable: true,
    message: "The program '{program}' didn't finish within {timeoutSeconds} s and was stopped.",
    hint: "Retry. The program must run without asking for input, such as a password.",
    meaning: "The program kubectl or helm didn't finish in time and was stopped.",
  },
} as const;

export const programsErrors: Errors<typeof table> = defineErrors(table);

export function programHung(program: string, timeoutMs: number): FairleadError {
  return programsErrors.CLI_PROGRAM_HUNG({ program, timeoutSeconds: timeoutMs / 1000 });
}
