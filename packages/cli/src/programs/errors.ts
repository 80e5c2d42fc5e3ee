import { FairleadError } from "@fairlead/kernel";

export function programMissing(program: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_PROGRAM_MISSING",
    message: `The program '${program}' can't be started.`,
    hint: `Install it, and see that it is on your PATH: '${program} version' must work.`,
    cause,
  });
}

export function programHung(program: string, timeoutMs: number): FairleadError {
  return new FairleadError({
    code: "CLI_PROGRAM_HUNG",
    message: `The program '${program}' didn't end within ${timeoutMs / 1000} s and was stopped.`,
    hint: "Try again; whatever it asks for, such as a password, it must find without asking.",
    retryable: true,
  });
}
