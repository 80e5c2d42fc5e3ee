import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_PROGRAM_MISSING: {
    message: "The program '{program}' can't be started.",
    hint: "Install it, and see that it is on your PATH: '{program} version' must work.",
    meaning: "Kubectl or helm can't be started.",
  },
  CLI_PROGRAM_HUNG: {
    retryable: true,
    message: "The program '{program}' didn't end within {timeoutSeconds} s and was stopped.",
    hint: "Try again. The program must not need to ask for anything, such as a password.",
    meaning: "Kubectl or helm didn't end in time and was stopped.",
  },
} as const;

export const programsErrors: Errors<typeof table> = defineErrors(table);

export function programHung(program: string, timeoutMs: number): FairleadError {
  return programsErrors.CLI_PROGRAM_HUNG({ program, timeoutSeconds: timeoutMs / 1000 });
}
