import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { cliErrors } from "./errors.ts";
import { hubCodes } from "./hub-codes.ts";

export interface ExitCode {
  readonly value: number;
  readonly meaning: string;
}

/** Stable, documented in docs/cli.md. */
export const exitCodes: Readonly<Record<ExitName, ExitCode>> = {
  ok: { value: 0, meaning: "success" },
  failure: { value: 1, meaning: "failed for a reason without a code of its own, or `--dry-run` found a difference" },
  usage: { value: 2, meaning: "invalid command line" },
  signedOut: { value: 3, meaning: "not signed in, or the hub rejected the token" },
  notFound: { value: 4, meaning: "the named object doesn't exist" },
  conflict: { value: 5, meaning: "the name is in use, or the object's state doesn't allow this" },
  unreachable: { value: 6, meaning: "the hub can't be reached" },
  forbidden: { value: 7, meaning: "signed in, but not allowed to do this" },
  no: { value: 8, meaning: "the answer is no: access is denied, or audit records were changed or removed" },
  notObserved: { value: 9, meaning: "the hub has no copy of this kind in this cluster" },
  unsuccessful: { value: 10, meaning: "a run or an application that the command waited for didn't succeed" },
  interrupted: { value: 130, meaning: "interrupted with Ctrl-C" },
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
  if (
    cliErrors.is(
      error,
      "CLI_RUN_UNSUCCESSFUL",
      "CLI_ROLLOUT_UNSUCCESSFUL",
      "CLI_STACK_UNSUCCESSFUL",
      "CLI_APPLICATION_UNREADY",
    )
  )
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
