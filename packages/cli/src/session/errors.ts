import { FairleadError } from "@fairlead/kernel";

export function signedOut(hub: string): FairleadError {
  return new FairleadError({
    code: "CLI_SIGNED_OUT",
    message: `You are signed out of ${hub}.`,
    hint: `Run 'fairlead login ${hub}'.`,
    httpStatus: 401,
  });
}

export function sessionEnded(hub: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_SESSION_ENDED",
    message: `Your sign-in to ${hub} has ended.`,
    hint: `Run 'fairlead login ${hub}' to sign in again.`,
    httpStatus: 401,
    cause,
  });
}
