import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { cliErrors } from "./errors.ts";
import { hubCodes } from "./hub-codes.ts";

export interface ExitCode {
  readonly value: number;
  readonly meaning: string;
}

/** Stable, documented in docs/cli.md. */
export const exitCodes: Readonly<Record<ExitName, ExitCode>> = {
  ok: { value: 0, meaning: "done" },
  failure: { value: 1, meaning: "failed for a reason that has no number of its own" },
  usage: { value: 2, meaning: "the command was typed wrongly" },
  signedOut: { value: 3, meaning: "not signed in, or the hub refuses the token" },
  notFound: { value: 4, meaning: "the thing that was named isn't there" },
  conflict: { value: 5, meaning: "the thing that was named is taken, or isn't in a state for this" },
  unreachable: { value: 6, meaning: "the hub can't be reached" },
  forbidden: { value: 7, meaning: "signed in, but not allowed to" },
  no: { value: 8, meaning: "the answer is no: access isn't allowed, or the audit records aren't whole" },
  notObserved: { value: 9, meaning: "the hub has no copy of this kind there" },
  unsuccessful: { value: 10, meaning: "a run that was waited for didn't succeed" },
  interrupted: { value: 130, meaning: "stopped by Ctrl-C" },
};

type ExitName =
  | "ok"
  | "failure"
  | "usage"
  | "signedOut"
  | "notFound"
  | "conflict"
  | "unreachable"
  | "forbidden"
  | "no"
  | "notObserved"
  | "unsuccessful"
  | "interrupted";

export function exitCodeOf(thrown: unknown): number {
  return exitOf(toFairleadError(thrown)).value;
}

function exitOf(error: FairleadError): ExitCode {
  if (hubCodes.is(error, "API_UNREACHABLE") || cliErrors.is(error, "CLI_LOGOUT_UNTOLD")) return exitCodes.unreachable;
  // A load balancer that has no hub behind it.
  if (hubCodes.is(error, "API_ANSWER_FOREIGN"))
    return error.httpStatus >= 502 ? exitCodes.unreachable : exitCodes.failure;
  if (cliErrors.is(error, "CLI_RUN_UNSUCCESSFUL", "CLI_ROLLOUT_UNSUCCESSFUL", "CLI_STACK_UNSUCCESSFUL"))
    return exitCodes.unsuccessful;
  if (hubCodes.is(error, "OBJECTS_KIND_NOT_OBSERVED")) return exitCodes.notObserved;
  switch (error.httpStatus) {
    case 400:
      return exitCodes.usage;
    case 401:
      return exitCodes.signedOut;
    case 403:
      return exitCodes.forbidden;
    case 404:
      return exitCodes.notFound;
    case 409:
      return exitCodes.conflict;
    default:
      return exitCodes.failure;
  }
}
